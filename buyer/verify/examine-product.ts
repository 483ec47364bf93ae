import {nextFaults, sourcesIn} from '../../build/documents/invariants.ts';
import type {Json, Kind} from '../../build/kinds/kind.ts';
import type {Entry} from '../../shared/shapes.ts';
import {paths, type DocumentName} from '../../shared/paths.ts';
import {documentsOf} from './catalogue.ts';
import {checksFromError, judged, passed, type Check} from './check.ts';
import {differingMembers, disagreementsIn, examineDocument, NO_SCHEMA, schemaFaults} from './examine-document.ts';
import {isObject, readObject} from './untrusted-json.ts';

export interface ProductExam {
  readonly baseUrl: string;
  readonly entry: Entry;
  /** Undefined for a document that is sold or was not readable, which other checks report. */
  readonly parts: Readonly<Parts<Uint8Array>>;
  /** The `as_of` of every freeze of the sources that the catalogue lists; for the history. */
  readonly freezes?: readonly {readonly source: string; readonly times: readonly string[]}[];
}

export type Parts<T> = Partial<Record<DocumentName, T>>;

type Values = Parts<Json>;

/** Checks the documents of a product by themselves, against each other and against the catalogue. */
export function examineProduct(exam: ProductExam, kinds: ReadonlyMap<string, Kind>): Check[] {
  const {entry, baseUrl} = exam;
  const {values, checks} = read(exam);
  const kind = kinds.get(entry.kind);
  const next = {name: entry.name, price: entry.price, url: entry.paid.url};
  const {sample, paid, history} = values;
  const [samplePath, historyPath] = [paths.sample(entry.name), paths.history(entry.name)];
  return [
    ...checks,
    ...(sample ? examineDocument({subject: samplePath, value: sample, kind, schema: values.sampleSchema}) : []),
    ...(sample ? judged('next', samplePath, () => nextFaults(sample, next), 'names the paid path and its price') : []),
    ...(paid
      ? examineDocument({
          ...{subject: paths.paid(entry.name), value: paid, kind},
          ...{schema: values.paidSchema, rows: entry.paid.rows},
        })
      : []),
    ...schemaChecks(baseUrl, entry, values),
    ...(history
      ? judged(
          'history',
          historyPath,
          () => [...historyFaults(entry, history, kind), ...undatedFaults(exam, history, sample)],
          'figures agree',
        )
      : []),
    ...judged('agreement', entry.name, () => disagreements(entry, values), 'its documents agree with one another'),
  ];
}

function read({entry, parts}: ProductExam): {values: Values; checks: Check[]} {
  const values: Values = {};
  const checks: Check[] = [];
  for (const {part, path} of documentsOf(entry)) {
    const bytes = parts[part];
    if (!bytes) continue;
    try {
      values[part] = readObject(path, bytes);
      checks.push(passed('JSON', path, 'valid UTF-8 without duplicate members'));
    } catch (error) {
      checks.push(...checksFromError('JSON', path, error));
    }
  }
  return {values, checks};
}

/** Checks that schemas are valid and contain their own address. */
function schemaChecks(baseUrl: string, entry: Entry, values: Values): Check[] {
  return (['sampleSchema', 'paidSchema'] as const).flatMap(part => {
    const schema = values[part];
    const path = paths[part](entry.name);
    if (!schema) return [];
    const find = () => {
      // Validating any value compiles the schema.
      const faults = schemaFaults(schema, undefined).filter(fault => fault.startsWith(NO_SCHEMA));
      const {$id} = schema;
      return $id === baseUrl + path ? faults : [...faults, `$id is ${String($id)}, not ${baseUrl + path}`];
    };
    return judged('schemas', path, find, 'is a valid JSON Schema, and its $id is its address');
  });
}

/** Checks that points are ordered, that the last one is the published snapshot, and that the figures of each agree. */
function historyFaults(entry: Entry, history: Json, kind: Kind | undefined): string[] {
  const listed: unknown[] = Array.isArray(history['points']) ? history['points'] : [];
  const points = listed.filter(isObject);
  const dates = points.map(point => String(point['as_of']));
  return [
    ...(points.length === listed.length ? [] : ['has points that are not objects']),
    ...(history['name'] === entry.name && history['title'] === entry.title ? [] : ['names another product']),
    ...(dates.every((date, at) => at === 0 || (dates[at - 1] ?? '') < date) ? [] : ['points are not in order']),
    ...(dates.at(-1) === entry.as_of ? [] : [`ends at ${dates.at(-1) ?? 'no point'}, not at ${entry.as_of}`]),
    ...(kind?.reads === 'rows'
      ? points.flatMap(point => disagreementsIn(kind, point).map(fault => `${String(point['as_of'])}: ${fault}`))
      : []),
  ];
}

/** Checks that each point has the time of a freeze, if the catalogue lists all freezes of the sources that the sample names. */
function undatedFaults({freezes = []}: ProductExam, {points}: Json, sample: Json | undefined): string[] {
  const sources = sourcesIn(String(sample?.['note']));
  const listed = freezes.filter(({source}) => sources.includes(source));
  if (listed.length === 0 || listed.length < sources.length || !Array.isArray(points)) return [];
  const times = new Set(listed.flatMap(({times}) => times));
  const undated = points.filter(isObject).filter(({as_of}) => !times.has(String(as_of)));
  return undated.map(
    ({as_of}) => `has a point of ${String(as_of)}, and no freeze of ${sources.join(' or ')} has this as_of`,
  );
}

function disagreements(entry: Entry, {sample, paid, history}: Values): string[] {
  const points = history?.['points'];
  const end: unknown = Array.isArray(points) ? points.at(-1) : undefined;
  const last = isObject(end) ? end : {};
  return [
    ...[sample, paid].flatMap(document =>
      differingMembers(last, document).map(member => `${member} of the history differs`),
    ),
    ...(sample && paid ? differingMembers(pick(sample, ['reason', 'note', 'as_of', 'pubkey_hint']), paid) : []).map(
      member => `${member} of sample and paid document differ`,
    ),
    ...(sample && sample['title'] !== `${entry.title} Sample` ? ['the sample has another title'] : []),
    ...[sample, paid].flatMap(document =>
      document && document['as_of'] !== entry.as_of
        ? [`as_of is ${String(document['as_of'])}, not ${entry.as_of}`]
        : [],
    ),
    ...(paid && 'name' in paid && (paid['name'] !== entry.name || paid['title'] !== entry.title)
      ? ['the paid document has another name or title']
      : []),
    ...exampleFaults(sample, paid),
    ...partFaults(entry, paid),
  ];
}

/** Checks that the examples of the sample are the first rows of the paid document. */
function exampleFaults(sample: Json | undefined, paid: Json | undefined): string[] {
  const [examples, rows] = [sample?.['examples'], paid?.['rows']];
  if (!Array.isArray(examples) || !Array.isArray(rows)) return [];
  return examples.slice(0, rows.length).flatMap((example: unknown, at) => {
    const row: unknown = rows[at];
    const isEqual =
      isObject(row) &&
      (isObject(example) ? differingMembers(example, row).length === 0 : Object.values(row).includes(example));
    return isEqual ? [] : [`examples[${at}] of the sample is not rows[${at}] of the paid document`];
  });
}

function partFaults({editions = []}: Entry, paid: Json | undefined): string[] {
  const parts = editions.filter(({format, part}) => part && format === 'json');
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  if (!paid || parts.length === 0 || rows === paid['rows_total']) return [];
  return [`all parts together have ${rows} rows, but rows_total is ${String(paid['rows_total'])}`];
}

function pick(document: Json, members: readonly string[]): Json {
  return Object.fromEntries(Object.entries(document).filter(([member]) => members.includes(member)));
}
