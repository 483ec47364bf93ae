import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type {JsonSchema} from '../../build/read/validator.ts';
import {date} from '../../build/rows/field-types.ts';
import {schemaChanges} from '../../scripts/review/schema-changes.ts';

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});
const text = {type: 'string'};
const count = {type: 'integer', minimum: 0};
const counts = (classes: string[], more: JsonSchema = {additionalProperties: count}) =>
  object({counts: object(Object.fromEntries(classes.map(name => [name, count])), more)});
const closed = {additionalProperties: false};
const digits = {...text, pattern: '^-?\\d+$'};
const nothing = {type: 'null'};
const whole = {anyOf: [{type: 'integer'}, digits]};
const wholeOrNull = {...whole, anyOf: [...whole.anyOf, nothing]};
const ofDocument = (column: JsonSchema) => ({
  anyOf: [object({name: {const: 'a'}, n: column}), object({name: {const: 'b'}})],
});

const bundle = (...names: string[]) => ({
  items: {anyOf: names.map(name => object({name: {const: name}, [name]: text}))},
});

/** The schema before and after, and the expected changes: `path change`, with `!` if it is breaking. */
const CASES: readonly (readonly [string, JsonSchema, JsonSchema, readonly string[]])[] = [
  ['nothing', object({a: text}), object({a: text}), []],
  ['another order of members', object({a: text, b: text}), object({b: text, a: text}, {required: ['a', 'b']}), []],
  ['a member is removed', object({a: text, b: text}), object({a: text}), ['!b member-removed']],
  ['an optional member is removed', object({a: text}, {required: []}), object({}), ['a optional-member-removed']],
  ['a member is added', object({a: text}), object({a: text, b: text}), ['!b member-added']],
  [
    'a member is added to an open object',
    {type: 'object'},
    {type: 'object', properties: {b: text}},
    ['b member-added-open'],
  ],
  ['a member becomes optional', object({a: text}), object({a: text}, {required: []}), ['!a now-optional']],
  ['a member becomes required', object({a: text}, {required: []}), object({a: text}), ['a now-required']],
  ['another type', object({a: text}), object({a: {type: 'integer'}}), ['!a type-changed']],
  ['null is added', object({a: text}), object({a: {type: ['string', 'null']}}), ['!a type-widened']],
  ['null is removed', object({a: {type: ['string', 'null']}}), object({a: text}), ['a type-narrowed']],
  ['fractions become allowed', {type: 'integer'}, {type: 'number'}, ['! type-widened']],
  ['fractions become forbidden', {type: 'number'}, {type: 'integer'}, [' type-narrowed']],
  ['a value is added', {enum: ['a']}, {enum: ['a', 'b']}, ['! values-added']],
  ['a value is removed', {enum: ['a', 'b']}, {enum: ['a']}, [' values-removed']],
  ['a constant changes', {const: false}, {const: true}, ['! values-added']],
  ['a constant becomes an enum of it and more', {const: 'a'}, {enum: ['a', 'b']}, ['! values-added']],
  ['an enum is removed', {type: 'string', enum: ['a']}, text, ['! values-added']],
  ['an enum is added', text, {type: 'string', enum: ['a']}, [' values-removed']],
  ['a limit is removed', {type: 'number', maximum: 1}, {type: 'number'}, ['! limit-changed']],
  ['a limit is loosened', {type: 'number', minimum: 1}, {type: 'number', minimum: 0}, ['! limit-changed']],
  ['a limit is tightened', {type: 'array', maxItems: 5}, {type: 'array', maxItems: 0}, [' limit-tightened']],
  ['a lower limit is raised', {type: 'number', minimum: 0}, {type: 'number', minimum: 1}, [' limit-tightened']],
  ['a limit is added', {type: 'array'}, {type: 'array', maxItems: 0}, [' limit-tightened']],
  ['a pattern changes', {...text, pattern: 'a'}, {...text, pattern: 'b'}, ['! limit-changed']],
  ['a format is removed', {...text, format: 'uri'}, text, ['! limit-changed']],
  ['a format is added', text, {...text, format: 'uri'}, [' limit-tightened']],
  ['an object allows other members', object({}), object({}, {additionalProperties: true}), ['! opened']],
  ['an object forbids other members', {type: 'object'}, {type: 'object', additionalProperties: false}, [' closed']],
  [
    'items change',
    {type: 'array', items: object({a: text})},
    {type: 'array', items: object({})},
    ['![].a member-removed'],
  ],
  ['a title changes', {title: 'a'}, {title: 'b'}, [' words-changed']],
  [
    'a required member without a schema is removed',
    {type: 'object', required: ['a']},
    {type: 'object'},
    ['!a member-removed'],
  ],
  ['a class is added', counts(['dead']), counts(['dead', 'gone']), ['counts.gone class-added']],
  ['a class is removed', counts(['dead', 'gone']), counts(['dead']), ['!counts.gone member-removed']],
  ['closed counts allow other classes', counts(['dead'], closed), counts(['dead']), ['!counts opened']],
  [
    'closed counts allow any member',
    counts(['a'], closed),
    counts(['a'], {additionalProperties: text}),
    ['!counts opened'],
  ],
  [
    'another closed object allows other members in the same way',
    object({other: object({a: count})}),
    object({other: object({a: count}, {additionalProperties: count})}),
    ['!other opened'],
  ],
  ['null is added to an anyOf', object({a: whole}), object({a: wholeOrNull}), ['!a type-widened']],
  ['a bundle has another order', bundle('a', 'b'), bundle('b', 'a'), []],
  ['a bundle has another product', bundle('a', 'b'), bundle('b', 'c'), ['![].name values-added']],
  ['a bundle has other products', bundle('a'), bundle('b', 'c'), ['![].name values-added']],
  ['a bundle has fewer products', bundle('a', 'b'), bundle('b'), ['[].name values-removed']],
  [
    'rows have another constant name, and another column is removed',
    {items: object({name: {const: 'a'}, n: text})},
    {items: object({name: {const: 'b'}})},
    ['![].name values-added', '![].n member-removed'],
  ],
  ['null is removed from an anyOf', object({a: wholeOrNull}), object({a: whole}), ['a type-narrowed']],
  ['integers become texts', object({a: whole}), object({a: digits}), ['a type-narrowed']],
  ['an integer may be a text', object({a: {type: 'integer'}}), object({a: whole}), ['!a type-widened']],
  [
    'a limit of digits is removed from an anyOf',
    whole,
    {...whole, anyOf: [{type: 'integer'}, text]},
    ['! limit-changed'],
  ],
  ['a date becomes any text', object({a: date}), object({a: text}), ['!a limit-changed']],
  ['another type in a document of a bundle', ofDocument(text), ofDocument(whole), ['!n type-widened']],
  [
    'a document is added to a bundle',
    {anyOf: [object({a: text})]},
    {anyOf: [object({a: text}), object({b: text})]},
    ['! other-changed'],
  ],
  ['something else', {type: 'object'}, {type: 'object', propertyNames: text}, ['! other-changed']],
];

for (const [name, before, after, expected] of CASES) {
  test(`${name}: ${expected.join(', ') || 'no change'}`, () => {
    const said = schemaChanges('paid', before, after).map(
      ({breaking, path, change}) => `${breaking ? '!' : ''}${path} ${change}`,
    );
    assert.deepEqual(said, expected);
  });
}

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constant({}),
  fc.constantFrom('string', 'integer', 'number', 'boolean', 'null').map(type => ({type})),
  fc.uniqueArray(fc.constantFrom('integer', 'string', 'null'), {minLength: 1}).map(type => ({type})),
  fc.uniqueArray(fc.constantFrom('a', 'bb', 1, 1.5, null, true), {minLength: 1}).map(values => ({enum: values})),
  fc.constantFrom('a', 2, false).map(value => ({const: value})),
  fc
    .record({minimum: fc.integer({min: 0, max: 3}), maximum: fc.integer({min: 0, max: 3})}, {requiredKeys: []})
    .map(bounds => ({type: 'number', ...bounds})),
  fc
    .record({minLength: fc.nat(2), maxLength: fc.nat(2), pattern: fc.constantFrom('a', 'b')}, {requiredKeys: []})
    .map(bounds => ({type: 'string', ...bounds})),
);

const schema: fc.Arbitrary<JsonSchema> = fc.letrec<{any: JsonSchema}>(tie => ({
  any: fc.oneof(
    {maxDepth: 2},
    leaf,
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom('x', 'y'), tie('any')),
        required: fc.uniqueArray(fc.constantFrom('x', 'y')),
        additionalProperties: fc.oneof(fc.boolean(), leaf),
      })
      .map(members => ({type: 'object', ...members})),
    tie('any').map(items => ({type: 'array', items})),
    fc.array(tie('any'), {minLength: 1, maxLength: 3}).map(anyOf => ({anyOf})),
  ),
})).any;

const scalar = fc.constantFrom<unknown>('a', 'bb', '', 1, 1.5, 2, 5, null, true, false);
const value = fc.letrec<{any: unknown}>(tie => ({
  any: fc.oneof(
    {maxDepth: 2},
    scalar,
    fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('any')),
    fc.array(tie('any'), {maxLength: 2}),
  ),
})).any;

test('if no change is breaking, the old schema accepts every document that the new one accepts', () => {
  const ajv = new Ajv2020({strict: false});
  let compatible = 0;
  fc.assert(
    fc.property(schema, schema, fc.array(value, {minLength: 20, maxLength: 40}), (before, after, documents) => {
      if (schemaChanges('paid', before, after).some(({breaking}) => breaking)) return;
      compatible += 1;
      const [old, now] = [ajv.compile(before), ajv.compile(after)];
      for (const document of documents) {
        if (now(document)) assert.equal(old(document), true, JSON.stringify({before, after, document}));
      }
    }),
    {numRuns: 2000},
  );
  assert.ok(compatible > 25, `only ${compatible} pairs were compatible`);
});
