import {DENY_CSV, DENY_SCHEMA, SAME_TIMESTAMPS, VERIFIED_SCHEMA} from '../site-fixture.ts';
import {below, DENY, VERIFIED, VERIFIED_CSV, type BadInput} from './bad-input.ts';

const FOLDER = 'data/sources/deny-list/2026-05-01';
const [url, klass] = DENY_SCHEMA.fields as [object, object];

const having = (name: string, schema: unknown, says: BadInput['says'], csv = DENY_CSV): BadInput => ({
  name,
  breaks: site => site.freeze({...DENY, files: {'deny-list.csv': csv}, resource: {schema}}),
  says: below(FOLDER, says),
});
const fielded = (name: string, fields: unknown, says: BadInput['says'], csv = DENY_CSV) =>
  having(name, {...DENY_SCHEMA, fields}, says, csv);
/** A third column, `x`. */
const extra = (name: string, field: object, says: BadInput['says'], value = '') =>
  fielded(
    name,
    [url, klass, {name: 'x', type: 'string', ...field}],
    says,
    `url,class,x\nhttps://a.example/,dead,${value}\n`,
  );
/** Returns a value in the form of messages, with at most 80 characters. */
const shown = (text: string) => (text.length < 79 ? JSON.stringify(text) : `${JSON.stringify(text).slice(0, 80)}…`);
const named = (
  name: string,
  rule = 'is not a column name: 1 to 100 characters, no quotation mark, not __proto__',
): BadInput =>
  fielded(
    `a column called ${JSON.stringify(name)}`,
    [url, klass, {name, type: 'string'}],
    `datapackage.json:31: resources[0].schema.fields[2].name ${shown(name)} ${rule}`,
  );

export const schemas: readonly BadInput[] = [
  having('none at all', undefined, 'datapackage.json: resources[0].schema is missing, and rows need a Table Schema'),
  having('null', null, 'datapackage.json:11: resources[0].schema null is not of type object'),
  having('a text', 'schema.json', 'datapackage.json:11: resources[0].schema "schema.json" is not of type object'),
  having('no fields', {primaryKey: ['url']}, 'datapackage.json:11: resources[0].schema.fields is missing'),
  having(
    'an empty list of fields',
    {fields: []},
    'datapackage.json:12: resources[0].schema.fields [] is an empty list',
  ),
  fielded(
    'fields that are names',
    ['url', 'class'],
    [
      'datapackage.json:13: resources[0].schema.fields[0] "url" is not of type object',
      'datapackage.json:14: resources[0].schema.fields[1] "class" is not of type object',
    ],
  ),
  fielded(
    'a field without a name',
    [url, {type: 'string'}],
    'datapackage.json:17: resources[0].schema.fields[1].name is missing',
  ),
  fielded(
    'a field without a type',
    [url, {name: 'class'}],
    'datapackage.json:17: resources[0].schema.fields[1].type is missing',
  ),
  fielded(
    'an unknown type',
    [url, {name: 'class', type: 'any'}],
    'datapackage.json:19: resources[0].schema.fields[1].type "any" is not one of string, integer, number, boolean, date, datetime, object, array',
  ),
  fielded(
    'a type of DuckDB',
    [url, {name: 'class', type: 'VARCHAR'}],
    'datapackage.json:19: resources[0].schema.fields[1].type "VARCHAR" is not one of string, integer, number, boolean, date, datetime, object, array',
  ),
  fielded(
    'an unknown member of a field',
    [url, {...klass, format: 'email'}],
    'datapackage.json:29: resources[0].schema.fields[1].format is not a known field',
  ),
  extra(
    'an unknown constraint',
    {constraints: {minimum: 1}},
    'datapackage.json:34: resources[0].schema.fields[2].constraints.minimum is not a known field',
  ),
  extra(
    'a constraint of the wrong type',
    {constraints: {required: 'yes'}},
    'datapackage.json:34: resources[0].schema.fields[2].constraints.required "yes" is not of type boolean',
  ),
  ...['', '__proto__', 'a"b', 'a\nb', 'x'.repeat(101)].map(name => named(name)),
  named('a\u0000', 'has the invisible character U+0000 at position 2'),
  fielded(
    'a column twice',
    [url, klass, klass],
    'datapackage.json:31: resources[0].schema.fields[2].name "class" is the name of two columns (upper and lower case count as one)',
  ),
  fielded(
    'two columns that differ in case only',
    [url, klass, {name: 'URL', type: 'string'}],
    'datapackage.json:31: resources[0].schema.fields[2].name "URL" is the name of two columns (upper and lower case count as one)',
  ),
  fielded(
    'three columns that differ in case only',
    [url, klass, {name: 'URL', type: 'string'}, {name: 'Url', type: 'string'}],
    [
      'datapackage.json:31: resources[0].schema.fields[2].name "URL" is the name of two columns (upper and lower case count as one)',
      'datapackage.json:35: resources[0].schema.fields[3].name "Url" is the name of two columns (upper and lower case count as one)',
    ],
  ),
  fielded(
    'two columns that differ in case only, beyond ASCII',
    [url, klass, {name: 'ÄB', type: 'string'}, {name: 'äb', type: 'string'}],
    'datapackage.json:35: resources[0].schema.fields[3].name "äb" is the name of two columns (upper and lower case count as one)',
  ),
  having(
    'a key that is not a column',
    {...DENY_SCHEMA, primaryKey: ['uri']},
    'datapackage.json:31: resources[0].schema.primaryKey "uri" is not a column',
  ),
  having(
    'a key in another case',
    {...DENY_SCHEMA, primaryKey: ['URL']},
    'datapackage.json:31: resources[0].schema.primaryKey "URL" is not a column',
  ),
  having(
    'a key __proto__',
    {...DENY_SCHEMA, primaryKey: '__proto__'},
    'datapackage.json:31: resources[0].schema.primaryKey "__proto__" is not a column name: 1 to 100 characters, no quotation mark, not __proto__',
  ),
  having(
    'a key constructor',
    {...DENY_SCHEMA, primaryKey: 'constructor'},
    'datapackage.json:31: resources[0].schema.primaryKey "constructor" is not a column',
  ),
  having(
    'an empty key',
    {...DENY_SCHEMA, primaryKey: []},
    'datapackage.json:31: resources[0].schema.primaryKey [] is an empty list',
  ),
  having(
    'no key',
    {...DENY_SCHEMA, primaryKey: undefined},
    'datapackage.json: resources[0].schema.primaryKey is not a single column, and data/products/soft-fail-3.json names no "key": rows are sorted by one column',
  ),
  having(
    'a key of two columns',
    {...DENY_SCHEMA, primaryKey: ['url', 'class']},
    'datapackage.json:31: resources[0].schema.primaryKey is not a single column, and data/products/soft-fail-3.json names no "key": rows are sorted by one column',
  ),
  having(
    'a key with a duplicate column',
    {...DENY_SCHEMA, primaryKey: ['url', 'url']},
    'datapackage.json:31: resources[0].schema.primaryKey ["url","url"] contains "url" twice',
  ),
  having(
    'a key that is an object',
    {...DENY_SCHEMA, primaryKey: {name: 'url'}},
    'datapackage.json:31: resources[0].schema.primaryKey {"name":"url"} is not a column name: 1 to 100 characters, no quotation mark, not __proto__',
  ),
  fielded(
    'a class that is not a boolean, in a column of booleans',
    [url, {name: 'class', type: 'boolean', constraints: {enum: [true]}}],
    'data/products/soft-fail-3.json:6: class "soft_fail" is not true or false, as column "class" is',
    'url,class\nhttps://a.example/,true\n',
  ),
  having(
    'a missing value that is a number',
    {...DENY_SCHEMA, missingValues: ['', -9]},
    'datapackage.json:36: resources[0].schema.missingValues[1] -9 is not a text, or an object with a "value" and a "label"',
  ),
  having(
    'another match of fields',
    {...DENY_SCHEMA, fieldsMatch: 'subset'},
    'datapackage.json:34: resources[0].schema.fieldsMatch "subset" is not "exact"',
  ),
  ...Object.entries({
    '(': 'missing ): (',
    '[': 'missing ]: [',
    'a{2,1}': 'invalid repetition size: {2,1}',
    'a{1001}': 'invalid repetition size: {1001}',
    '(?=x)': 'invalid perl operator: (?=',
    '(a)\\1': 'invalid escape sequence: \\1',
    '*': 'no argument for repetition operator: *',
    'x**': 'bad repetition operator: **',
    '\\': 'trailing \\',
  }).map(([pattern, reason]) =>
    extra(
      `the pattern ${pattern}`,
      {constraints: {pattern}},
      `datapackage.json:34: resources[0].schema.fields[2].constraints.pattern ${JSON.stringify(pattern)} is not a pattern: ${reason}`,
    ),
  ),
  extra(
    'a pattern that is a number',
    {constraints: {pattern: 1}},
    'datapackage.json:34: resources[0].schema.fields[2].constraints.pattern 1 is not of type string',
  ),
  extra(
    'a pattern with the syntax of SQL',
    {constraints: {pattern: "'); DROP TABLE rows; --("}},
    `datapackage.json:34: resources[0].schema.fields[2].constraints.pattern "'); DROP TABLE rows; --(" is not a pattern: unexpected ): '); DROP TABLE rows; --(`,
  ),
  extra(
    'an empty enum',
    {constraints: {enum: []}},
    'datapackage.json:34: resources[0].schema.fields[2].constraints.enum [] is an empty list',
  ),
  extra(
    'a duplicate enum value',
    {constraints: {enum: ['a', 'a']}},
    'datapackage.json:34: resources[0].schema.fields[2].constraints.enum ["a","a"] contains "a" twice',
  ),
  extra(
    'a class that its column has as a missing value',
    {missingValues: [{value: 'a', label: 'none'}], constraints: {enum: ['b', 'a']}},
    'datapackage.json:42: resources[0].schema.fields[2].constraints.enum[1] "a" is a class and one of "missingValues" as well, so no row could have it',
  ),
  extra(
    'a class of integers that its column has as a missing value',
    {type: 'integer', missingValues: ['', '-9'], constraints: {enum: [1, -9]}},
    'datapackage.json:40: resources[0].schema.fields[2].constraints.enum[1] -9 is a class and one of "missingValues" as well, so no row could have it',
  ),
  having(
    'a class that the schema has as a missing value',
    {...DENY_SCHEMA, missingValues: ['', 'dead']},
    'datapackage.json:24: resources[0].schema.fields[1].constraints.enum[1] "dead" is a class and one of "missingValues" as well, so no row could have it',
  ),
  extra(
    'an enum of numbers in a text column',
    {constraints: {enum: ['a', 1]}},
    `datapackage.json:36: resources[0].schema.fields[2].constraints.enum[1] 1 is not of the column's type, string`,
  ),
  extra(
    'an enum of texts in an integer column',
    {type: 'integer', constraints: {enum: [1, '2']}},
    `datapackage.json:36: resources[0].schema.fields[2].constraints.enum[1] "2" is not of the column's type, integer`,
  ),
  extra(
    'an enum of fractions in an integer column',
    {type: 'integer', constraints: {enum: [1, 2.5]}},
    `datapackage.json:36: resources[0].schema.fields[2].constraints.enum[1] 2.5 is not of the column's type, integer`,
  ),
  extra(
    'an enum of texts in a boolean column',
    {type: 'boolean', constraints: {enum: ['true']}},
    `datapackage.json:35: resources[0].schema.fields[2].constraints.enum[0] "true" is not of the column's type, boolean`,
  ),
  extra(
    'an enum of lists',
    {constraints: {enum: [['a']]}},
    'datapackage.json:35: resources[0].schema.fields[2].constraints.enum[0] ["a"] is not of type string or number or boolean',
  ),
  extra(
    'an enum of null',
    {constraints: {enum: [null]}},
    'datapackage.json:35: resources[0].schema.fields[2].constraints.enum[0] null is not of type string or number or boolean',
  ),
  fielded(
    'a class total, which "counts" cannot have as a member',
    [url, {...klass, constraints: {enum: ['soft_fail', 'total']}}],
    'data/products/soft-fail-3.json: column "class" has a class "total", which "counts" cannot have as a member',
  ),
  fielded(
    'a class __proto__, which "counts" cannot have as a member',
    [url, {...klass, constraints: {enum: ['soft_fail', '__proto__']}}],
    'data/products/soft-fail-3.json: column "class" has a class "__proto__", which "counts" cannot have as a member',
  ),
  {
    name: 'a class rows, which would name a figure rows_n, which is already the name of another figure',
    breaks: async site => {
      await site.freeze({
        ...DENY,
        files: {'deny-list.csv': 'url,class\nhttps://a.example/,rows\n'},
        resource: {schema: {...DENY_SCHEMA, fields: [url, {...klass, constraints: {enum: ['rows']}}]}},
      });
      await site.write('data/products/soft-fail-3.json', {
        title: 'Soft Fail 3',
        kind: 'class-share',
        price: '$0.02',
        source: 'deny-list',
        class: 'rows',
        difference: 'x',
      });
    },
    says: 'data/products/soft-fail-3.json:6: class "rows" would name a figure rows_n, which is already the name of another figure',
  },
  {
    name: 'a list without the column claimed',
    breaks: site =>
      site.freeze({
        ...VERIFIED,
        files: {'v.csv': 'origin,first,last\n'},
        resource: {schema: {...VERIFIED_SCHEMA, fields: VERIFIED_SCHEMA.fields.slice(0, 3)}},
      }),
    says: 'data/products/first-last-same.json:5: source "verified-list" does not contain a column "claimed" in data/sources/verified-list/2026-05-01/datapackage.json, which has origin, first, last',
  },
  {
    name: 'timestamps that are not texts',
    breaks: site =>
      site.freeze({
        ...VERIFIED,
        files: {'v.csv': VERIFIED_CSV},
        resource: {
          schema: {
            ...VERIFIED_SCHEMA,
            fields: VERIFIED_SCHEMA.fields.map(field =>
              field.name === 'first' ? {...field, type: 'datetime'} : field,
            ),
          },
        },
      }),
    says: 'data/sources/verified-list/2026-05-01/datapackage.json: column "first" is of type datetime, and data/products/first-last-same.json needs a string',
  },
  {
    name: 'claims that are texts',
    breaks: site =>
      site.freeze({
        ...VERIFIED,
        files: {'v.csv': VERIFIED_CSV},
        resource: {
          schema: {...VERIFIED_SCHEMA, fields: VERIFIED_SCHEMA.fields.map(field => ({...field, type: 'string'}))},
        },
      }),
    says: 'data/sources/verified-list/2026-05-01/datapackage.json: column "claimed" is of type string, and data/products/first-last-same.json needs a boolean',
  },
  {
    name: 'columns that only one of two products needs',
    breaks: site => site.write('data/products/other.json', {...SAME_TIMESTAMPS, title: 'Other', source: 'deny-list'}),
    says: ['first', 'last', 'claimed'].map(
      column =>
        `data/products/other.json:5: source "deny-list" does not contain a column "${column}" in data/sources/deny-list/2026-05-01/datapackage.json, which has url, class`,
    ),
  },
];
