import pc from '../terminal/colours.ts';
import type {Field} from '../../build/read/table-schema.ts';
import type {Comparison} from './compare.ts';
import type {Frozen} from './freeze.ts';
import type {ColumnWarning} from './infer-schema.ts';
import {size} from '../terminal/meter.ts';
import {englishCount, englishNumber, firstOf, seenText} from '../../shared/english.ts';
import {printable} from '../../shared/printable.ts';
import {textTable, type Paint} from '../terminal/table.ts';

const SHOWN_VALUES = 8;
const WIDEST_CELL = 44;
const KINDS = [
  {kind: 'added', sign: '+', paint: pc.green},
  {kind: 'removed', sign: '-', paint: pc.red},
  {kind: 'changed', sign: '~', paint: pc.yellow},
] as const;

export interface How {
  readonly dryRun: boolean;
  readonly seconds: number;
}

/** Returns the report for the terminal: format, schema, first rows, changes and result. */
export function reportOf(frozen: Frozen, how: How): string {
  const paragraphs = [
    headOf(frozen),
    columnsOf(frozen),
    differencesOf(frozen),
    firstRowsOf(frozen),
    changesOf(frozen, how),
    endOf(frozen, how),
  ];
  return paragraphs
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n');
}

/** Returns the output of `freeze --json`. */
export function reportForPrograms(frozen: Frozen, {dryRun, seconds}: How): object {
  const {created, as_of, resources} = frozen.descriptor;
  const [{path, format, bytes, hash, schema}] = resources;
  return {
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
    schema_differences: frozen.differences,
    last: frozen.last?.date ?? null,
    previous: frozen.descriptor.previous ?? null,
    changes: frozen.comparison ?? null,
    notes: notesOf(frozen, dryRun),
    seconds,
  };
}

function headOf({list, rows, delimiter, property, descriptor, age_hours, schema}: Frozen): string[] {
  const {created, as_of} = descriptor;
  const form = [
    list.form.format,
    ...(list.form.gzip ? ['gzip'] : []),
    ...(delimiter === undefined || delimiter === ',' ? [] : [`delimiter ${JSON.stringify(delimiter)}`]),
    ...(property === undefined ? [] : [`rows in ${property}`]),
  ];
  const things = schema ? 'row' : 'event';
  return textTable(
    [
      ...list.files.map(({origin, name}, index) => [
        index === 0 ? 'list' : '',
        origin.endsWith(`/${name}`) || origin === name ? origin : `${origin}, kept as ${name}`,
      ]),
      ['format', `${form.join(', ')}: ${englishCount(rows, things)}, ${size(list.bytes)}`],
      ['created', created],
      ['as_of', `${as_of}, ${englishCount(age_hours, 'hour')} later`],
    ],
    (_, column) => (column === 0 ? pc.dim : String),
  );
}

function columnsOf({schema, carried, last}: Frozen): string[] {
  if (!schema) return [pc.dim('events, without a schema')];
  const key = [schema.primaryKey ?? []].flat();
  const heading = carried ? `schema of ${last?.date ?? ''}` : 'inferred schema';
  const rows = schema.fields.map(field => [field.name, field.type, rulesOf(field, key)]);
  return textTable([[heading, 'type', 'rules'], ...rows], dimHeading);
}

function differencesOf({differences, last}: Frozen): string[] {
  if (differences.length === 0) return [];
  return [
    `compared with the schema of ${last?.date ?? ''}:`,
    ...differences.map(({column, change}) => `  ${printable(`${column}: ${change}`)}`),
  ];
}

function rulesOf(
  {name, scale, constraints: {required, unique, pattern, enum: classes = []} = {}}: Field,
  key: readonly string[],
): string {
  const rules = [
    key.includes(name) && 'key',
    scale !== undefined && `exact, ${englishCount(scale, 'digit')} after the point`,
    required && 'required',
    unique && 'unique',
    pattern,
    classes.length > 0 && `one of ${firstOf(classes, SHOWN_VALUES)}`,
  ];
  return rules.filter(rule => typeof rule === 'string').join(', ');
}

function firstRowsOf({schema, firstRows, rows}: Frozen): string[] {
  if (firstRows.length === 0) return [];
  const names = schema?.fields.map(({name}) => name) ?? ['type', 'payload'];
  const more = rows - firstRows.length;
  return [
    ...textTable([names, ...firstRows.map(row => row.map(cell => cell ?? ''))], dimHeading, WIDEST_CELL),
    ...(more > 0 ? [pc.dim(`… and ${englishNumber(more)} more`)] : []),
  ];
}

function dimHeading(row: number): Paint {
  return row === 0 ? pc.dim : String;
}

function changesOf(frozen: Frozen, {dryRun}: How): string[] {
  const {last, comparison} = frozen;
  const notes = notesOf(frozen, dryRun).map(note => pc.yellow(printable(note)));
  return last && comparison ? [...changeLines(last.date, comparison), ...notes] : notes;
}

function changeLines(date: string, {columns, moves, examples, ...totals}: Comparison): string[] {
  const counts = KINDS.map(({kind}) => `${englishNumber(totals[kind])} ${kind}`).join(', ');
  return [
    `since ${date}: ${pc.bold(counts)}`,
    ...KINDS.filter(({kind}) => totals[kind] > 0).map(({kind, sign, paint}) => {
      const more = totals[kind] - examples[kind].length;
      return `  ${paint(sign)} ${examples[kind].map(printable).join('  ')}${more > 0 ? pc.dim(`  … and ${more} more`) : ''}`;
    }),
    ...Object.entries(columns).map(([name, rows]) => {
      const moved = moves.filter(({column}) => column === name);
      const shown = moved.map(
        ({from, to, rows}) => `, ${printable(`${seenText(from ?? 'nothing')} → ${seenText(to ?? 'nothing')}`)} ${rows}`,
      );
      return `  ${name}: ${englishCount(rows, 'row')}${shown.join('')}`;
    }),
  ];
}

/** Returns notes for the publisher that need attention before the build. */
function notesOf(frozen: Frozen, dryRun: boolean): string[] {
  const {list, last, uncompared, schema, warnings, descriptor, modified, rows, ignored} = frozen;
  const {as_of} = descriptor;
  const notes = [
    ...warnings.map(warning => warningNote(warning, dryRun)),
    schema &&
      schema.primaryKey === undefined &&
      'The rows do not have a primary key: every product over them, except queries, needs a "key".',
    modified !== undefined &&
      modified > as_of &&
      `The files were modified after as_of (${modified}), so created is set to as_of: use --created if the list is older.`,
    last &&
      last.as_of > as_of &&
      `as_of is before the freeze of ${last.date}. If that freeze is published, remove the new one: buyers were promised that no freeze is inserted.`,
    last && uncompared !== undefined && `Not compared with ${last.date}: ${uncompared}.`,
    list.files.some(({linesAbove}) => linesAbove !== undefined) &&
      'The frozen files differ from the given ones by their header.',
    rows === 0 && 'The list is empty.',
    ignored.length > 0 && `git ignores ${ignored.join(', ')}: the freeze would not be committed.`,
  ];
  return notes.filter(note => typeof note === 'string');
}

function warningNote({name, reason, remedy, options}: ColumnWarning, dryRun: boolean): string {
  const all = [...(dryRun ? [] : ['--replace']), ...options].join(' ');
  return `Column "${name}" is text, because ${reason}. ${remedy} freeze again${all && ` with ${all}`}.`;
}

function endOf({folder, descriptor: {resources}, next}: Frozen, {dryRun, seconds}: How): string[] {
  const time = pc.dim(`${seconds.toFixed(2)} s`);
  if (dryRun) return [`${pc.yellow('not written')} (--dry-run): ${folder}  ${time}`];
  return [`${pc.green('frozen')}: ${folder}  ${time}`, pc.dim(resources[0].hash), `Next: ${next}`];
}
