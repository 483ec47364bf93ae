import type {JsonSchema} from '../../build/read/validator.ts';
import {joined} from './compare.ts';
import {isNever, NEVER, schemaAt, schemaOf, typesOf, typeWords, valuesOf} from './schema-values.ts';
import {VERDICTS, type Found} from './schema-verdicts.ts';

export interface SchemaChange extends Found {
  readonly document: 'sample' | 'paid';
  readonly breaking: boolean;
}

/** Returns all changes between two schemas of a document, and whether they break existing programs. */
export function schemaChanges(document: 'sample' | 'paid', before: JsonSchema, after: JsonSchema): SchemaChange[] {
  const found = compare(before, after, '').map(one => ({document, ...one, breaking: isBreaking(one)}));
  // Alternatives share a description, so its change was found once for each.
  return [...new Map(found.map(change => [JSON.stringify(change), change])).values()];
}

function isBreaking({change}: Found): boolean {
  return VERDICTS[change][0];
}

function compare(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  // Also ends the recursion: a schema without keywords is its own `items`.
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [was, is] = [alternativesOf(before), alternativesOf(after)];
  if (was.length === 1 && is.length === 1) return keywordChanges(before, after, path);
  const [old, now] = [namesOf(was), namesOf(is)];
  if (old && now && old.join() !== now.join())
    return [
      ...valueChanges({enum: old}, {enum: now}, `${path}.name`),
      ...is.flatMap((schema, index) => compare(was[old.indexOf(now[index] ?? '')] ?? schema, schema, path)),
    ];
  if (was.length === is.length) return is.flatMap((schema, index) => compare(was[index] ?? NEVER, schema, path));
  const isWithin = is.every(schema => was.some(one => !compare(one, schema, path).some(isBreaking)));
  const [words, wordsNow] = [was, is].map(schemas => [...new Set(schemas.map(typeWords))].join(' or '));
  const change = isWithin ? 'type-narrowed' : words === wordsNow ? 'other-changed' : 'type-widened';
  return [{path, change, before: words, after: wordsNow}];
}

/** Returns the alternatives of an `anyOf` that only a description accompanies, as builds write it; otherwise the schema. */
function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const {anyOf, ...others} = schema;
  if (!Array.isArray(anyOf) || !Object.keys(others).every(keyword => WORDS.includes(keyword))) return [schema];
  return anyOf.map(alternative => ({...others, ...schemaOf(alternative)}));
}

/** Returns the names of the documents in a bundle, whose alternatives have them as constants. Undefined for other schemas. */
function namesOf(alternatives: readonly JsonSchema[]): string[] | undefined {
  const names = alternatives.map(schema => schemaAt(schemaAt(schema, 'properties'), 'name')['const']);
  return names.every(name => typeof name === 'string') ? names : undefined;
}

function keywordChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const bothMayBe = (type: string) => [before, after].every(schema => typesOf(schema).includes(type));
  return [
    ...typeChanges(before, after, path),
    ...valueChanges(before, after, path),
    ...(bothMayBe('object') ? memberChanges(before, after, path) : []),
    ...(bothMayBe('array') ? compare(schemaAt(before, 'items'), schemaAt(after, 'items'), `${path}[]`) : []),
    ...otherChanges(before, after, path),
  ];
}

const WORDS = ['$id', '$comment', 'title', 'description', 'examples', 'default', 'deprecated', 'readOnly', 'writeOnly'];
/** Keywords that other functions compare. */
const STRUCTURE = ['type', 'const', 'enum', 'properties', 'required', 'additionalProperties', 'items'];
/** Keywords that only restrict values, so adding or tightening one breaks no program. */
const LIMIT = /^((exclusive)?(minimum|maximum)|(min|max)(Length|Items|Properties)|pattern|format)$/i;

/** Returns the changes of all other keywords. */
function otherChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords].flatMap((keyword): Found[] => {
    const [was, is] = [before, after].map(schema =>
      Object.hasOwn(schema, keyword) ? `${keyword} ${JSON.stringify(schema[keyword])}` : undefined,
    );
    if (STRUCTURE.includes(keyword) || was === is) return [];
    const limit = isTighter(keyword, before[keyword], after[keyword]) ? 'limit-tightened' : 'limit-changed';
    const change = WORDS.includes(keyword) ? 'words-changed' : LIMIT.test(keyword) ? limit : 'other-changed';
    return [{path, change, before: was, after: is}];
  });
}

/** True if a limit is new, or a number that allows less: a bundle of fewer products has a lower `maxItems`. */
function isTighter(keyword: string, was: unknown, is: unknown): boolean {
  if (was === undefined) return true;
  if (typeof was !== 'number' || typeof is !== 'number') return false;
  return /min/i.test(keyword) ? is > was : is < was;
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

function restChanges(before: JsonSchema, after: JsonSchema, path: string): Found[] {
  const [closed, closedNow] = [isNever(before), isNever(after)];
  if (closed && closedNow) return [];
  if (closed) return [{path, change: 'opened'}];
  return closedNow ? [{path, change: 'closed'}] : compare(before, after, path === '' ? '*' : `${path}.*`);
}
