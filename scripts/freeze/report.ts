import pc from '../terminal/colours.ts';
import type {Field} from '../../build/read/data-package.ts';
import type {Comparison} from './compare.ts';
import type {Frozen} from './freeze.ts';
import {size} from './progress.ts';
import {printable} from '../../shared/printable.ts';
import {textTable, type Paint} from '../terminal/text-table.ts';

const SHOWN_VALUES = 8;
const WIDEST_CELL = 44;
/** Below this, a rate tells of the start of the program only. */
const RATED_BYTES = 1 << 20;
const plain: Paint = text => text;

/** How the freeze went. */
export interface How {
  /** The command that builds with it. */
  readonly next: string;
  readonly dryRun: boolean;
  readonly seconds: number;
}

/** The report for a person: what the list was taken for, its first rows, what changes, and where it now is. */
export function reportOf(frozen: Frozen, how: How): string {
  const paragraphs = [headOf(frozen), columnsOf(frozen), firstRowsOf(frozen), changesOf(frozen), endOf(frozen, how)];
  return paragraphs
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n');
}

/** The same for a program. */
export function reportForPrograms(frozen: Frozen, {dryRun, seconds}: How): object {
  const {created, as_of, resources} = frozen.descriptor;
  const [{path, format, bytes, hash, schema}] = resources;
  return {
    ok: true,
    written: !dryRun,
    folder: frozen.folder,
    created,
    as_of,
    age_hours: frozen.age_hours,
    files: [path].flat(),
    format,
    bytes,
    hash,
    rows: frozen.rows,
    schema: schema ?? null,
    schema_of: frozen.carried ? frozen.last?.date : null,
    first_rows: frozen.firstRows,
    last: frozen.last?.date ?? null,
    changes: frozen.comparison ?? null,
    notes: notesOf(frozen),
    seconds,
  };
}

function headOf({list, rows, delimiter, descriptor, age_hours, schema}: Frozen): string[] {
  const {created, as_of} = descriptor;
  const form = [
    list.form.format,
    ...(list.form.gzip ? ['gzip'] : []),
    ...(delimiter === undefined || delimiter === ',' ? [] : [`delimiter ${JSON.stringify(delimiter)}`]),
  ];
  const things = schema ? 'row' : 'event';
  return textTable(
    [
      ...list.files.map(({origin, name}, index) => [
        index === 0 ? 'list' : '',
        origin.endsWith(`/${name}`) || origin === name ? origin : `${origin}, kept as ${name}`,
      ]),
      ['form', `${form.join(', ')}: ${counted(rows, things)}, ${size(list.bytes)}`],
      ['created', created],
      ['as_of', `${as_of}, ${counted(age_hours, 'hour')} later`],
    ],
    (_, column) => (column === 0 ? pc.dim : plain),
  );
}

function columnsOf({schema, carried, last}: Frozen): string[] {
  if (!schema) return [pc.dim('events, which have no schema')];
  const key = [schema.primaryKey ?? []].flat();
  const heading = carried ? `schema of ${last?.date ?? ''}` : 'inferred schema';
  const rows = schema.fields.map(field => [field.name, field.type, rulesOf(field, key)]);
  return textTable([[heading, 'type', 'rules'], ...rows], dimHeading);
}

function rulesOf({name, constraints}: Field, key: readonly string[]): string {
  const values = constraints?.enum?.slice(0, SHOWN_VALUES).map(String) ?? [];
  const more = (constraints?.enum?.length ?? 0) - values.length;
  return [
    ...(key.includes(name) ? ['key'] : []),
    ...(constraints?.required === true ? ['required'] : []),
    ...(constraints?.unique === true ? ['unique'] : []),
    ...(constraints?.pattern === undefined ? [] : [constraints.pattern]),
    ...(values.length === 0 ? [] : [`one of ${values.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]),
  ].join(', ');
}

function firstRowsOf({schema, firstRows, rows}: Frozen): string[] {
  if (firstRows.length === 0) return [];
  const names = schema?.fields.map(({name}) => name) ?? ['type', 'payload'];
  const more = rows - firstRows.length;
  return [
    ...textTable([names, ...firstRows.map(row => row.map(cell => cell ?? ''))], dimHeading, WIDEST_CELL),
    ...(more > 0 ? [pc.dim(`… and ${more.toLocaleString('en')} more`)] : []),
  ];
}

function dimHeading(row: number): Paint {
  return row === 0 ? pc.dim : plain;
}

function changesOf(frozen: Frozen): string[] {
  const {last, comparison} = frozen;
  const notes = notesOf(frozen).map(note => pc.yellow(note));
  if (!last || !comparison) return notes;
  const {added, removed, changed} = comparison;
  const counts = `${added.toLocaleString('en')} added, ${removed.toLocaleString('en')} removed, ${changed.toLocaleString('en')} changed`;
  return [`since ${last.date}: ${pc.bold(counts)}`, ...changeLines(comparison), ...notes];
}

function changeLines({added, removed, changed, columns, moves, examples}: Comparison): string[] {
  const keys = (sign: string, paint: Paint, names: readonly string[], total: number) =>
    names.length === 0
      ? []
      : [
          `  ${paint(sign)} ${names.map(printable).join('  ')}${total > names.length ? pc.dim(`  … and ${total - names.length} more`) : ''}`,
        ];
  return [
    ...keys('+', pc.green, examples.added, added),
    ...keys('-', pc.red, examples.removed, removed),
    ...keys('~', pc.yellow, examples.changed, changed),
    ...Object.entries(columns).map(([name, rows]) => {
      const moved = moves.filter(({column}) => column === name);
      const kinds = moved.map(
        move => `${printable(`${move.from ?? 'nothing'} → ${move.to ?? 'nothing'}`)} ${move.rows}`,
      );
      return `  ${name}: ${counted(rows, 'row')}${kinds.length > 0 ? `, ${kinds.join(', ')}` : ''}`;
    }),
  ];
}

/** What a publisher should know before building. */
function notesOf({last, uncompared, schema, descriptor, list, rows, ignored}: Frozen): string[] {
  const {created, as_of} = descriptor;
  const newest =
    list.files
      .map(({modified}) => modified.toISOString())
      .sort()
      .at(-1) ?? '';
  return [
    ...(schema && schema.primaryKey === undefined
      ? [
          'No text column is without doubles, so there is no primary key: a product over these rows names a column as its "key". --key COLUMN says where doubles are.',
        ]
      : []),
    ...(newest > as_of && created === as_of
      ? [`The files were modified after as_of (${newest}), so created is as_of: --created says when the list was made.`]
      : []),
    ...(last && last.as_of > as_of ? [`as_of is before the freeze of ${last.date}, which stays the later one.`] : []),
    ...(last && uncompared !== undefined ? [`Not compared with ${last.date}: ${uncompared}.`] : []),
    ...(rows === 0 ? ['The list is empty.'] : []),
    ...(ignored.length > 0 ? [`git ignores ${ignored.join(', ')}: the freeze would not be committed.`] : []),
  ];
}

function endOf({folder, descriptor, rows, list}: Frozen, {dryRun, seconds, next}: How): string[] {
  const [{hash}] = descriptor.resources;
  const time = `${seconds.toFixed(2)} s`;
  const rates =
    list.bytes < RATED_BYTES
      ? time
      : `${time}, ${size(list.bytes / seconds)}/s, ${Math.round(rows / seconds).toLocaleString('en')} rows/s`;
  return dryRun
    ? [`${pc.yellow('not written')} (--dry-run): ${folder}  ${pc.dim(rates)}`]
    : [`${pc.green('frozen')}: ${folder}  ${pc.dim(rates)}`, pc.dim(hash), `Next: ${next}`];
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}
