import type {JsonSchema} from '../../build/read/validator.ts';
import {constraintChanges} from './schema-constraints.ts';
import {typesOf, typeWords, valuesOf} from './schema-types.ts';
import {VERDICTS, type SchemaChangeKind} from './schema-verdicts.ts';

/** One change of a published schema. */
export interface SchemaChange {
  readonly document: 'sample' | 'paid';
  /** Where: `counts.fraud`, `rows[].url`; empty for the document itself. */
  readonly path: string;
  readonly change: SchemaChangeKind;
  readonly breaking: boolean;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

export type Found = Pick<SchemaChange, 'path' | 'change' | 'before' | 'after'>;

/** Every change between two schemas of a document, and whether it breaks what programs were written against. */
export function schemaChanges(document: 'sample' | 'paid', before: JsonSchema, after: JsonSchema): SchemaChange[] {
  return compare(before, after, '').map(found => ({document, ...found, breaking: VERDICTS[found.change][0]}));
}

function compare(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  // Also where the recursion ends: a schema without keywords is its own `items`.
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [
    ...typeChanges(before, after, path),
    ...valueChanges(before, after, path),
    ...(bothMayBe('object', before, after) ? memberChanges(before, after, path) : []),
    ...(bothMayBe('array', before, after)
      ? compare(schemaAt(before, 'items'), schemaAt(after, 'items'), `${path}[]`)
      : []),
    ...constraintChanges(before, after, path),
  ];
}

function bothMayBe(type: 'object' | 'array', before: JsonSchema, after: JsonSchema): boolean {
  return typesOf(before).has(type) && typesOf(after).has(type);
}

function typeChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [was, is] = [typesOf(before), typesOf(after)];
  const wider = [...is].some(type => !was.has(type));
  const narrower = [...was].some(type => !is.has(type));
  // Values tell more than their types do.
  if ((!wider && !narrower) || (valuesOf(before) && valuesOf(after))) return [];
  const change = wider && narrower ? 'type-changed' : wider ? 'type-widened' : 'type-narrowed';
  return [{path, change, before: typeWords(before), after: typeWords(after)}];
}

function valueChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [was, is] = [valueTexts(before), valueTexts(after)];
  if (!was && !is) return [];
  const added = !is || (was && isBeyond(is, was));
  const removed = !was || (is && isBeyond(was, is));
  const facts = {path, before: was?.join(', ') ?? 'any', after: is?.join(', ') ?? 'any'};
  if (was && added) return [{...facts, change: 'values-added'}];
  return removed ? [{...facts, change: 'values-removed'}] : [];
}

/** Whether one list has what the other has not. */
function isBeyond(values: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return values.some(value => !known.has(value));
}

function valueTexts(schema: JsonSchema): string[] | undefined {
  return valuesOf(schema)?.map(value => JSON.stringify(value));
}

function memberChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const [needed, neededNow] = [requiredBy(before), requiredBy(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const [rest, restNow] = [schemaAt(before, 'additionalProperties'), schemaAt(after, 'additionalProperties')];
  return [
    ...names.flatMap(name => {
      const [old, now] = [own(was, name), own(is, name)];
      const at = path === '' ? name : `${path}.${name}`;
      if (!now) return removed(old ?? {}, needed.has(name), restNow, at);
      if (!old) return added(rest, now, at);
      return [...requiredChange(needed.has(name), neededNow.has(name), at), ...compare(old, now, at)];
    }),
    ...restChanges(rest, restNow, path),
  ];
}

function removed(old: JsonSchema, wasRequired: boolean, rest: JsonSchema, path: string): Found[] {
  const change = wasRequired ? 'member-removed' : 'optional-member-removed';
  // Where the object stays open, the member may still come, and as anything that further members may be.
  return [{path, change}, ...(isNever(rest) ? [] : compare(old, rest, path))];
}

function added(rest: JsonSchema, now: JsonSchema, path: string): Found[] {
  if (isNever(rest)) return [{path, change: 'member-added', after: typeWords(now)}];
  return [{path, change: 'member-added-open', after: typeWords(now)}, ...compare(rest, now, path).filter(isWider)];
}

/** A member that was anything before and is something now is no news beyond its being there. */
function isWider({change}: Found): boolean {
  return VERDICTS[change][0];
}

function requiredChange(was: boolean, is: boolean, path: string): Found[] {
  return was === is ? [] : [{path, change: is ? 'now-required' : 'now-optional'}];
}

/** `additionalProperties` of both. */
function restChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [closed, closedNow] = [before, after].map(isNever);
  if (closed && closedNow) return [];
  if (closed) return [{path, change: 'opened'}];
  return closedNow ? [{path, change: 'closed'}] : compare(before, after, path === '' ? '*' : `${path}.*`);
}

const NEVER: JsonSchema = {enum: []};

function isNever(schema: JsonSchema): boolean {
  return valuesOf(schema)?.length === 0;
}

/** The schema below a keyword; without one everything is allowed. `true` and `false` as schemas. */
function schemaAt(schema: JsonSchema, keyword: string): JsonSchema {
  const below = schema[keyword];
  if (below === false) return NEVER;
  return typeof below === 'object' && below !== null ? (below as JsonSchema) : {};
}

/** The members that a schema names: a required one without a schema of its own may be what further members may be. */
function membersOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const members = schemaAt(schema, 'properties');
  const rest = schemaAt(schema, 'additionalProperties');
  const required = [...requiredBy(schema)].map(name => [name, rest] as const);
  return Object.fromEntries([
    ...required,
    ...Object.keys(members).map(name => [name, schemaAt(members, name)] as const),
  ]);
}

function own(members: Readonly<Record<string, JsonSchema>>, name: string): JsonSchema | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function requiredBy(schema: JsonSchema): ReadonlySet<string> {
  const names: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return new Set(names.filter(name => typeof name === 'string'));
}
