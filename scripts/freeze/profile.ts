import {WEB_ADDRESS_RE2} from '../../build/kinds/rows/named-rows.ts';
import type {Field, FieldType} from '../../build/read/data-package.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import type {Database} from '../../build/rows/database.ts';
import {FIELD_TYPES} from '../../build/rows/field-types.ts';
import {FORMATS} from '../../build/rows/formats.ts';
import {literal} from '../../build/rows/sql.ts';
import type {Column} from './columns.ts';

/** What a text may be beside its type. */
export type Form = 'address' | 'timestamp';

/** What the rows say of a column. */
export interface Profile {
  readonly name: string;
  readonly rows: number;
  /** Rows that have a value. */
  readonly values: number;
  /** The best type that every value has; where there is none, the one that most values have. */
  readonly type: FieldType;
  readonly form: Form | undefined;
  /** How many different values there are, roughly. */
  readonly distinct: number;
  /** Length of the longest value, in characters. */
  readonly longest: number;
  /** Every value with `d` for each digit, where all of them look alike. */
  readonly shape: string | undefined;
}

/** `2026-04-28 09:12 ET`, with or without seconds and zone. */
const TIMESTAMP = '\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}(:\\d{2})?( [A-Z]{2,5})?';
const FORMS: Readonly<Record<Form, string>> = {address: WEB_ADDRESS_RE2, timestamp: TIMESTAMP};

/** So many rows tell which tests are not worth making on all. */
const FIRST_ROWS = 10_000;
/** So many columns are asked about at a time: the database plans a query about many for minutes. */
const AT_ONCE = 12;

/** 16 before the point, or 18 in all from the first that is not zero. */
const TOO_MANY_DIGITS = '-?([0-9]{16,}([.][0-9]*)?|[0.]*[1-9][.]?([0-9][.]?){17,})([eE].*)?';

type Trial = FieldType | Form;
type Trials = readonly (readonly Trial[])[];

/** What one pass finds out about a column. */
interface Finding {
  readonly values: number;
  readonly distinct: number;
  readonly longest: number;
  readonly lowest: string | null;
  readonly highest: string | null;
  /** The values that break each trial, in the order of the trials. */
  readonly misfits: readonly number[];
}

interface Round {
  readonly rows: number;
  readonly findings: readonly Finding[];
}

/** Looks at all values of all columns in one pass, after a short one over the first rows. */
export async function profilesOf(
  database: Database,
  root: string,
  freeze: Freeze,
  columns: readonly Column[],
): Promise<Profile[]> {
  const trials = columns.map(trialsOf);
  const first = await tryOut(database, root, freeze, columns, trials, `LIMIT ${FIRST_ROWS}`);
  const passed = trials.map((list, index) => list.filter((_, nth) => first.findings[index]?.misfits[nth] === 0));
  const {rows, findings} = await tryOut(database, root, freeze, columns, passed);
  return columns.map((column, index) => {
    const [finding, start] = [findings[index], first.findings[index]];
    if (!finding || !start) throw new Error(`column ${column.name} was not looked at`);
    const fits = (passed[index] ?? []).filter((_, nth) => finding.misfits[nth] === 0);
    return profileOf(column, rows, finding, fits, leastWrong(trials[index] ?? [], start));
  });
}

function trialsOf({types}: Column): Trial[] {
  return [...(types.length > 1 ? types : []), ...(types.includes('string') ? (['address', 'timestamp'] as const) : [])];
}

function profileOf(
  {name, types}: Column,
  rows: number,
  {values, distinct, longest, lowest, highest}: Finding,
  fits: readonly Trial[],
  fallback: FieldType,
): Profile {
  const [only] = types.length === 1 ? types : [];
  const type = only ?? (values === 0 ? 'string' : (types.find(candidate => fits.includes(candidate)) ?? fallback));
  const form =
    type === 'string' && values > 0 ? (Object.keys(FORMS) as Form[]).find(one => fits.includes(one)) : undefined;
  const shape = lowest !== null && lowest === highest ? lowest : undefined;
  return {name, rows, values, type, form, distinct, longest, shape};
}

/** Where no type fits, the one that most values have: its rule then says what is wrong with the others. */
function leastWrong(trials: readonly Trial[], {misfits}: Finding): FieldType {
  const wrong = new Map(trials.map((trial, nth) => [trial, misfits[nth] ?? 0]));
  const types = trials.filter(trial => trial !== 'address' && trial !== 'timestamp');
  return types.reduce((best, type) => ((wrong.get(type) ?? 0) < (wrong.get(best) ?? 0) ? type : best), 'string');
}

async function tryOut(
  database: Database,
  root: string,
  freeze: Freeze,
  columns: readonly Column[],
  trials: Trials,
  limit = '',
): Promise<Round> {
  const all = columns.map((column, index): Tried => ({column, index, trials: trials[index] ?? []}));
  const findings: Finding[] = [];
  let rows: unknown;
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const some = all.slice(start, start + AT_ONCE);
    const [cells = []] = await database.query(`
      SELECT count(*), ${some.map(findingOf).join(', ')} FROM (${trialRows(root, freeze, columns, some)} ${limit})`);
    const [count, ...found] = cells;
    rows = count;
    findings.push(...found.map(json => JSON.parse(String(json)) as Finding));
  }
  return {rows: Number(rows), findings};
}

/** A column, its place, and what is tried on it. */
interface Tried {
  readonly column: Column;
  readonly index: number;
  readonly trials: readonly Trial[];
}

function findingOf({trials, index}: Tried): string {
  const text = `t${index}`;
  const shape = trials.includes('timestamp') ? `translate(${text}, '0123456789', 'dddddddddd')` : 'NULL';
  const misfits = trials.map((_, nth) => `count(*) FILTER (${text} IS NOT NULL AND m${index}_${nth})`);
  return `to_json({'values': count(${text}), 'distinct': approx_count_distinct(${text}), 'longest': coalesce(max(length(${text})), 0),
    'lowest': min(${shape}), 'highest': max(${shape}), 'misfits': [${misfits.join(', ')}]})`;
}

/** Per column its text `t0, t1, …`, and per trial `m0_0, m0_1, …`, true where the text breaks it. */
function trialRows(root: string, freeze: Freeze, columns: readonly Column[], some: readonly Tried[]): string {
  const format = FORMATS[freeze.format];
  const fieldOf = ({name, types}: Column): Field => ({name, type: types[0] ?? 'string'});
  const texts = some.map(({column, index}) => `${format.text(fieldOf(column), index)} AS t${index}`);
  const kinds = some.map(({column: {name}, index, trials}) =>
    trials.map((trial, nth) => {
      const field: Field = {name, type: isForm(trial) ? 'string' : trial};
      return `, ${format.wrongKind?.(field) ?? 'false'} AS k${index}_${nth}`;
    }),
  );
  const misfits = some.map(({index, trials}) =>
    trials.map(
      (trial, nth) => `, k${index}_${nth} OR NOT coalesce(${fitsSql(trial, `t${index}`)}, false) AS m${index}_${nth}`,
    ),
  );
  return `SELECT *${misfits.flat().join('')}
    FROM (SELECT ${texts.join(', ')}${kinds.flat().join('')}
      FROM ${format.from(root, freeze, columns.map(fieldOf))})`;
}

function isForm(trial: Trial): trial is Form {
  return trial in FORMS;
}

/** A predicate that is true of a text that passes a trial. */
function fitsSql(trial: Trial, text: string): string {
  const matches = (pattern: string) => `regexp_full_match(${text}, ${literal(pattern)})`;
  if (isForm(trial)) return matches(FORMS[trial]);
  const {value, valid} = FIELD_TYPES[trial];
  const fits = valid?.(text, `(${value(text)})`) ?? 'true';
  // What would lose something as a number is none: zeros in front, as postal codes have, and digits past those of a double.
  if (trial === 'integer') return `${fits} AND ${matches('-?(0|[1-9][0-9]*)')}`;
  if (trial !== 'number') return fits;
  return `${fits} AND ${matches('-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?')} AND NOT ${matches(TOO_MANY_DIGITS)}`;
}
