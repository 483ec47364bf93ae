import type {JsonSchema} from '../../build/read/validator.ts';
import {joined} from './compare.ts';
import {constraintChanges} from './schema-constraints.ts';
import {comparable, typesOf, typeWords, valuesOf} from './schema-types.ts';
import {VERDICTS, type Found} from './schema-verdicts.ts';

export interface SchemaChange extends Found {
  readonly document: 'sample' | 'paid';
  readonly breaking: boolean;
}

/** Returns all changes between two schemas of a document, and whether they break existing programs. */
export function schemaChanges(document: 'sample' | 'paid', before: JsonSchema, after: JsonSchema): SchemaChange[] {
  return compare(schemaOf(before), schemaOf(after), '').map(found => ({
    document,
    ...found,
    breaking: isBreaking(found),
  }));
}

function isBreaking({change}: Found): boolean {
  return VERDICTS[change][0];
}

function compare(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  // Also ends the recursion: a schema without keywords is its own `items`.
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const bothMayBe = (type: string) => [before, after].every(schema => typesOf(schema).includes(type));
  return [
    ...typeChanges(before, after, path),
    ...valueChanges(before, after, path),
    ...(bothMayBe('object') ? memberChanges(before, after, path) : []),
    ...(bothMayBe('array') ? compare(schemaAt(before, 'items'), schemaAt(after, 'items'), `${path}[]`) : []),
    ...anyOfChanges(before, after, path),
    ...constraintChanges(before, after, path),
  ];
}

/** If each new alternative allows no more than the previous one at its position, the whole `anyOf` allows no more. */
function anyOfChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [was = [], is = []] = [before, after].map(({anyOf}) => (Array.isArray(anyOf) ? (anyOf as unknown[]) : []));
  if (was.length === is.length)
    return is.flatMap((below, index) => compare(schemaOf(was[index]), schemaOf(below), path));
  const [words, wordsNow] = [was, is].map(anyOf => (anyOf.length > 0 ? `anyOf ${JSON.stringify(anyOf)}` : undefined));
  return [{path, change: 'other-changed', before: words, after: wordsNow}];
}

function typeChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const {wider, narrower} = difference(typesOf(before), typesOf(after));
  // Allowed values are more precise than their types.
  if ((!wider && !narrower) || (valuesOf(before) && valuesOf(after))) return [];
  const change = wider && narrower ? 'type-changed' : wider ? 'type-widened' : 'type-narrowed';
  return [{path, change, before: typeWords(before), after: typeWords(after)}];
}

function valueChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [was, is] = [before, after].map(schema => valuesOf(schema)?.map(value => JSON.stringify(value)));
  const {wider, narrower} = was && is ? difference(was, is) : {wider: was !== undefined, narrower: is !== undefined};
  if (!wider && !narrower) return [];
  const change = wider ? 'values-added' : 'values-removed';
  return [{path, change, before: was?.join(', ') ?? 'any', after: is?.join(', ') ?? 'any'}];
}

/** Compares two sets: `wider` if values were added, `narrower` if values were removed. */
function difference(before: readonly string[], after: readonly string[]) {
  const [was, is] = [new Set(before), new Set(after)];
  return {wider: after.some(one => !was.has(one)), narrower: before.some(one => !is.has(one))};
}

/** Objects whose members are the classes of a list. Classes may be added within `v1` (docs/formats.md, "versions"). */
const OF_CLASSES = /(^|\.)(counts|class_mix)$/;

function memberChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const [rest, restNow] = [schemaAt(before, 'additionalProperties'), schemaAt(after, 'additionalProperties')];
  const kind = OF_CLASSES.test(path) ? 'class-added' : 'member-added-open';
  const members = joined(was, is).flatMap(({key: name, before: old, after: now}): Found[] => {
    const at = path === '' ? name : `${path}.${name}`;
    if (!old) return now ? added(rest, now.schema, at, kind) : [];
    if (!now) return removed(old, restNow, at);
    const required: Found[] =
      old.required === now.required ? [] : [{path: at, change: now.required ? 'now-required' : 'now-optional'}];
    return [...required, ...compare(old.schema, now.schema, at)];
  });
  return [...members, ...restChanges(rest, restNow, path)];
}

interface Member {
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Returns the members that a schema names. A required member without its own schema has that of `additionalProperties`. */
function membersOf(schema: JsonSchema): Map<string, Member> {
  const properties = schemaAt(schema, 'properties');
  const rest = schemaAt(schema, 'additionalProperties');
  const listed: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const required = new Set(listed.filter(name => typeof name === 'string'));
  return new Map([
    ...[...required].map((name): [string, Member] => [name, {schema: rest, required: true}]),
    ...Object.keys(properties).map((name): [string, Member] => [
      name,
      {schema: schemaAt(properties, name), required: required.has(name)},
    ]),
  ]);
}

function removed({schema, required}: Member, rest: JsonSchema, path: string): Found[] {
  const change = required ? 'member-removed' : 'optional-member-removed';
  // In an open object, the member may still occur, with the schema of additional members.
  return [{path, change}, ...(isNever(rest) ? [] : compare(schema, rest, path))];
}

function added(rest: JsonSchema, now: JsonSchema, path: string, change: 'member-added-open' | 'class-added'): Found[] {
  if (isNever(rest)) return [{path, change: 'member-added', after: typeWords(now)}];
  // The new member was allowed before with any value. Only a wider schema is a further change.
  return [{path, change, after: typeWords(now)}, ...compare(rest, now, path).filter(isBreaking)];
}

/** Compares `additionalProperties`. */
function restChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [closed, closedNow] = [isNever(before), isNever(after)];
  if (closed && closedNow) return [];
  if (closed) return [{path, change: 'opened'}];
  return closedNow ? [{path, change: 'closed'}] : compare(before, after, path === '' ? '*' : `${path}.*`);
}

const NEVER: JsonSchema = {enum: []};

function isNever(schema: JsonSchema): boolean {
  return valuesOf(schema)?.length === 0;
}

/** Returns the schema at a keyword. Without the keyword, everything is allowed. */
function schemaAt(schema: JsonSchema, keyword: string): JsonSchema {
  return schemaOf(schema[keyword]);
}

/** Returns a schema in the form that is compared. `true` and `false` are also schemas. */
function schemaOf(below: unknown): JsonSchema {
  if (below === false) return NEVER;
  return typeof below === 'object' && below !== null ? comparable(below as JsonSchema) : {};
}
