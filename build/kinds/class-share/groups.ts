import {seenText} from '../../../shared/english.ts';
import {InputError} from '../../../shared/fault.ts';
import {object, orNull} from '../../read/validator.ts';
import type {Read, Table} from '../../rows/table.ts';
import type {ClassShareProduct} from '../class-share.ts';
import {figureSchemas, ratioOf, sum, trueOf, type ChartGroups} from '../figures/counts.ts';
import {booleanWords} from '../figures/labels.ts';
import type {Json} from '../kind.ts';
import type {Share} from './share.ts';

const MOST_GROUPS = 200;

/** Returns the column of the groups, if the product names one. Rows may have other groups than those that the schema declares. */
export function columnOfGroups({by, column, file}: ClassShareProduct, table: Table) {
  if (by === undefined) return undefined;
  const fault = (rule: string) => new InputError({code: 'FZ213', file, field: 'by', value: by, rule});
  const {type, constraints, title} = table.column(by, {file, member: 'by'});
  if (type !== 'string' && type !== 'boolean')
    throw fault(`is a column of type ${type}, and groups need texts or booleans`);
  if (by === column) throw fault('is the column of the classes');
  const declared = type === 'boolean' ? ['true', 'false'] : (constraints?.enum?.map(String) ?? []);
  return {by, title, type, declared, fault};
}

type GroupColumn = NonNullable<ReturnType<typeof columnOfGroups>>;

/** Returns the measures of a share by group, and the members `by` and `groups` of documents with their schemas. */
export function groupingOf({by, type, declared, fault}: GroupColumn, table: Table, {name, where}: Share) {
  const [all, matching] = [table.countBy(by), table.countBy(by, where)];
  const groupOf = (group: string | boolean | null, rows: number, n: number) => {
    return {group, rows_n: rows, [`${name}_n`]: n, [`${name}_ratio`]: ratioOf(n, rows)};
  };
  const isRequired = table.isRequired(by);
  return {
    measures: [all, matching],
    /** Throws `InputError` if there are too many groups. */
    figures(read: Read, total: number, n: number): Json {
      const [rows, found] = [read(all), read(matching)];
      const others = [...rows.keys()].filter(group => !declared.includes(group)).sort();
      const groups = [...declared, ...others];
      if (groups.length > MOST_GROUPS)
        throw fault(`has ${groups.length} values in ${table.freeze.folder}, and may have at most ${MOST_GROUPS}`);
      const named = groups.map(group =>
        groupOf(type === 'boolean' ? group === 'true' : group, rows.get(group) ?? 0, found.get(group) ?? 0),
      );
      // Rows without a value form a group as well.
      const rest = [total - sum([...rows.values()]), n - sum([...found.values()])] as const;
      return {by, groups: [...named, ...(rest[0] > 0 ? [groupOf(null, ...rest)] : [])]};
    },
    schemas: {
      by: {const: by},
      groups: {
        type: 'array',
        items: object({
          group: isRequired ? {type} : orNull({type}),
          ...figureSchemas(Object.fromEntries(Object.entries(groupOf('', 0, 0)).slice(1))),
        }),
      },
    },
  };
}

/** Returns one sentence for each contradiction between the groups of a document and its figures. Empty without groups. */
export function groupDisagreements(document: Json, name: string): string[] {
  const {groups} = document as {groups?: readonly Readonly<Record<string, unknown>>[]};
  if (groups === undefined) return [];
  const numbers = (member: string) => groups.map(group => Number(group[member]));
  const ratios = groups.map(group => ratioOf(Number(group[`${name}_n`]), Number(group['rows_n'])));
  return trueOf({
    'groups do not add up to rows_n': sum(numbers('rows_n')) !== document['rows_n'],
    [`groups do not add up to ${name}_n`]: sum(numbers(`${name}_n`)) !== document[`${name}_n`],
    [`a group's ${name}_ratio is not its ${name}_n / rows_n`]: groups.some(
      (group, at) => group[`${name}_ratio`] !== ratios[at],
    ),
    'two groups have the same value': new Set(groups.map(({group}) => JSON.stringify(group))).size < groups.length,
  });
}

/** Returns the groups for people, with the title of their column. */
export function chartGroups({by, title}: GroupColumn, {groups}: Json, name: string): ChartGroups {
  const items = (groups as readonly Readonly<Record<string, unknown>>[]).map(({group, ...numbers}) => ({
    label:
      typeof group === 'boolean' ? booleanWords(by, group) : typeof group === 'string' ? seenText(group) : '(none)',
    n: Number(numbers[`${name}_n`]),
    total: Number(numbers['rows_n']),
  }));
  return {by: title ?? by.replaceAll('_', ' '), items};
}
