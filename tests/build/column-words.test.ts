import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {CLASS_SHARE, DENY_SCHEMA, emptySite} from './site-fixture.ts';
import {readJson} from './tree.ts';

test('title, description and unit of a column are in the schema of the paid document', async () => {
  await using site = await emptySite();
  const words = [
    {title: 'Address', description: 'Where it was.'},
    {description: 'Rows of a kind.', unit: 'kind'},
  ];
  const fields = DENY_SCHEMA.fields.map((field, index) => ({...field, ...words[index]}));
  const size = {name: 'size', type: 'integer', unit: 'km²'};
  await site.freeze({
    source: 'deny-list',
    files: {'deny-list.csv': 'url,class,size\nhttps://a.example/,soft_fail,3\n'},
    schema: {...DENY_SCHEMA, fields: [...fields, size]},
  });
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  assert.equal((await site.build()).err, '');
  const expected = {
    url: {type: 'string', title: 'Address', description: 'Where it was.'},
    class: {type: 'string', description: 'Rows of a kind. Unit: kind.'},
    size: {type: ['integer', 'null'], description: 'Unit: km².'},
  };
  const rowsIn = (schema: unknown) =>
    (schema as {properties: {rows: {items: {properties: object}}}}).properties.rows.items.properties;
  assert.deepEqual(rowsIn(await readJson(site.root, 'public/api/v1/schemas/softfail3.json')), expected);
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  assert.match(page, /<th scope="col">\s*Address\s*<\/th>/);
  assert.match(page, /<dt>Address <code>url<\/code><\/dt>\s*<dd>\s*Where it was\./);
  assert.doesNotMatch(page, /<dt>\s*<code>size<\/code>/);
  assert.match(page, /<code>class<\/code><\/dt>\s*<dd>\s*Rows of a kind\.\s*<span class="soft">Unit: kind\.<\/span>/);
});

test('a description that mentions a unit is only a description, and a column may have the name of a member of all objects', async () => {
  await using site = await emptySite();
  const [url, name] = DENY_SCHEMA.fields;
  const description = 'How far it is. Unit: paces.';
  const fields = [
    url,
    name,
    {name: 'distance', type: 'integer', description},
    {name: 'constructor', type: 'integer', unit: 'km'},
  ];
  await site.freeze({
    source: 'deny-list',
    files: {'deny-list.csv': 'url,class,distance,constructor,valueOf\nhttps://a.example/,soft_fail,3,4,5\n'},
    schema: {...DENY_SCHEMA, fields: [...fields, {name: 'valueOf', type: 'integer'}]},
  });
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, formats: ['json', 'csv']});
  assert.equal((await site.build()).err, '');
  const {products} = (await readJson(site.root, 'public/api/v1/index.json')) as {products: [{columns: unknown}]};
  assert.deepEqual(products[0].columns, [
    {name: 'url', type: 'string'},
    {name: 'class', type: 'string'},
    {name: 'distance', type: 'integer', description},
    {name: 'constructor', type: 'integer', unit: 'km'},
    {name: 'valueOf', type: 'integer'},
  ]);
  const page = await readFile(join(site.root, 'public/products/softfail3.html'), 'utf8');
  assert.match(page, /<dd>\s*How far it is\. Unit: paces\.\s*<\/dd>/);
  assert.doesNotMatch(page, /<span class="soft">(Unit: )?paces/);
});

test('a query has them for columns that it does not change, and names the columns that may lack a value', async () => {
  await using site = await emptySite();
  const fields = [
    {...DENY_SCHEMA.fields[0], title: 'Address'},
    DENY_SCHEMA.fields[1],
    {name: 'size', type: 'integer', description: 'How large it is.', unit: 'km²'},
  ];
  const freeze = {schema: {...DENY_SCHEMA, fields}};
  await site.freeze({
    ...freeze,
    source: 'deny-list',
    files: {'deny-list.csv': 'url,class,size\nhttps://a.example/,dead,3\n'},
  });
  await site.freeze({
    ...freeze,
    source: 'other-list',
    files: {'other.csv': 'url,class,size\nhttps://a.example/,dead,4\n'},
  });
  const described = {title: 'Address'};
  const size = {anyOf: [{type: 'integer'}, {type: 'string', pattern: '^-?\\d+$'}, {type: 'null'}]};
  const sizeWords = 'How large it is. Unit: km².';
  const queries: Record<string, Record<string, object>> = {
    'SELECT url, SIZE FROM rows ORDER BY ALL': {url: described, size: {...size, description: sizeWords}},
    'SELECT *, size // 2 AS half FROM rows ORDER BY ALL': {
      url: described,
      class: {},
      size: {...size, description: sizeWords},
      half: {},
    },
    'SELECT o.url AS site, rows.size // 2 AS size FROM rows JOIN others AS o USING (url) ORDER BY ALL': {
      site: described,
      size: {},
    },
    'SELECT * REPLACE (size // 2 AS size) FROM rows ORDER BY ALL': {url: {}, class: {}, size: {}},
    "WITH others AS (SELECT 'x' AS url) SELECT url FROM others ORDER BY ALL": {url: {}},
    'SELECT url FROM (SELECT class AS url FROM rows) ORDER BY ALL': {url: {}},
  };
  for (const [index, rows] of Object.keys(queries).entries())
    await site.write(`data/products/q${index}.json`, {
      title: `Q ${index}`,
      kind: 'query',
      price: '$0.05',
      sources: {rows: 'deny-list', others: 'other-list'},
      figures: 'SELECT count(*) AS rows_n FROM rows',
      rows,
      difference: 'lists addresses',
    });
  assert.equal((await site.build()).err, '');
  for (const [index, expected] of Object.values(queries).entries()) {
    const schema = (await readJson(site.root, `public/api/v1/schemas/q${index}.json`)) as {
      properties: {
        rows: {items: {properties: Record<string, {title?: string; description?: string; anyOf?: unknown}>}};
      };
    };
    const reported = Object.entries(schema.properties.rows.items.properties).map(
      ([name, {title, description, anyOf}]) => {
        const isDirect = title !== undefined || description?.includes('Unit') === true;
        return [name, isDirect ? {...(title && {title}), ...(anyOf !== undefined && {anyOf, description})} : {}];
      },
    );
    assert.deepEqual(Object.fromEntries(reported), expected, Object.keys(queries)[index]);
  }
});
