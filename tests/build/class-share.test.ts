import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {readFile} from 'node:fs/promises';
import classShare from '../../build/kinds/class-share.ts';
import {emptySite, type SiteFixture} from './site-fixture.ts';
import {readJson} from './tree.ts';

const ROWS = [
  'CH,Switzerland,Europe,true,in-force',
  'FR,France,Europe,false,in-force',
  'BO,Bolivia,Americas,true,draft',
  'AQ,Antarctica,,false,withdrawn',
  'US,United States,Americas,false,draft',
];
const required = {required: true};
const SCHEMA = {
  fields: [
    {name: 'code', type: 'string', constraints: required},
    {name: 'name', type: 'string'},
    {name: 'region', type: 'string'},
    {name: 'isLandlocked', type: 'boolean', constraints: required},
    {name: 'status', type: 'string', constraints: {...required, enum: ['draft', 'in-force', 'withdrawn']}},
  ],
  primaryKey: ['code'],
};
const PRODUCT = {
  title: 'Landlocked',
  kind: 'class-share',
  price: '$0.02',
  source: 'countries',
  column: 'isLandlocked',
  class: true,
  difference: 'counts countries without a coast',
};

async function countries(product: object, rows = ROWS, schema: object = SCHEMA): Promise<SiteFixture> {
  const site = await emptySite();
  const csv = `code,name,region,isLandlocked,status\n${rows.join('\n')}\n`;
  await site.freeze({source: 'countries', files: {'countries.csv': csv}, schema});
  await site.write('data/products/landlocked.json', {...PRODUCT, ...product});
  return site;
}

/** Builds the product, and returns its documents. */
async function built(site: SiteFixture) {
  assert.equal((await site.build()).err, '');
  const read = (path: string) => readJson(site.root, `public/api/v1/${path}`);
  return {
    sample: await read('samples/landlocked.json'),
    paid: await read('landlocked'),
    schema: await read('schemas/landlocked.json'),
    history: await read('history/landlocked.json'),
  };
}

test('a boolean is named by its column, and its rows may have any key', async () => {
  await using site = await countries({});
  const {sample, paid} = await built(site);
  assert.deepEqual([sample['is_landlocked_n'], sample['is_landlocked_ratio'], sample['classes']], [2, 2 / 5, ['true']]);
  assert.deepEqual(sample['examples'], paid['rows']);
  for (const document of [sample, paid])
    for (const member of ['sit', 'listed', 'class_mix']) assert.ok(!(member in document), member);
  assert.doesNotMatch(JSON.stringify([sample, paid]), /listed=true/);
  assert.deepEqual(sample['counts'], {true: 2, false: 3, total: 5});
  assert.deepEqual(
    (paid['rows'] as object[])[0],
    {code: 'BO', name: 'Bolivia', region: 'Americas', isLandlocked: true, status: 'draft'}, // prettier-ignore
  );
  await site.write('data/products/landlocked.json', {...PRODUCT, class: false});
  assert.equal((await built(site)).sample['not_is_landlocked_n'], 3);
  await site.write('data/products/landlocked.json', {...PRODUCT, class: 'true'});
  const {err, remedies} = await site.build();
  assert.match(err, /: class "true" is not true or false, as column "isLandlocked" is$/m);
  assert.equal(remedies, 'FZ204: Write true or false, without quotation marks.');
});

for (const [name, product, member, n, says] of [
  ['any class', {class: 'in-force'}, 'in_force', 2, 'are classed in-force'],
  ['several classes', {class: ['in-force', 'withdrawn'], as: 'past'}, 'past', 3, 'are classed in-force or withdrawn'],
  ['a class by another name', {class: 'draft', as: 'open'}, 'open', 2, 'are classed draft'],
] as const) {
  test(`${name} has a share, and the documents name its classes`, async () => {
    await using site = await countries({column: 'status', ...product});
    const {sample, paid} = await built(site);
    assert.deepEqual([sample[`${member}_n`], sample[`${member}_ratio`]], [n, n / 5]);
    assert.deepEqual(sample['classes'], [product.class].flat());
    assert.equal((paid['rows'] as object[]).length, n);
    assert.match(String(sample['reason']), new RegExp(`: ${n} of 5 rows ${says}, a ratio of ${n / 5}\\.`));
    assert.deepEqual(classShare.disagreements(paid), []);
    const forged = {...paid, [`${member}_n`]: n - 1, [`${member}_ratio`]: (n - 1) / 5, rows_total: n - 1};
    assert.equal(classShare.disagreements(forged).length, 1);
  });
}

test('the key and the columns that a product names are sold in the order of the list, and are in the schema', async () => {
  await using site = await countries({columns: ['isLandlocked', 'name']});
  const {paid, schema} = await built(site);
  assert.deepEqual(paid['rows'], [
    {code: 'BO', name: 'Bolivia', isLandlocked: true},
    {code: 'CH', name: 'Switzerland', isLandlocked: true},
  ]);
  const {items} = (schema['properties'] as {rows: {items: {required: string[]}}}).rows;
  assert.deepEqual(items.required, ['code', 'name', 'isLandlocked']);
});

test('groups, including that of rows without a value, add up to the whole in documents, history and page', async () => {
  await using site = await countries({by: 'region'});
  const {sample, paid, history} = await built(site);
  const group = (name: string | null, rows_n: number, n: number) => {
    return {group: name, rows_n, is_landlocked_n: n, is_landlocked_ratio: n / rows_n};
  };
  const groups = [group('Americas', 2, 1), group('Europe', 2, 1), group(null, 1, 0)];
  for (const document of [sample, paid, (history['points'] as Record<string, unknown>[])[0]]) {
    assert.equal(document?.['by'], 'region');
    assert.deepEqual(document['groups'], groups);
  }
  const page = await readFile(join(site.root, 'public/products/landlocked.html'), 'utf8');
  assert.match(page, /<h2>By region<\/h2>\s*<dl class="values">[^]*<dt>Americas<\/dt>[^]*1 of 2[^]*50%/);
  assert.deepEqual(classShare.disagreements(paid), []);
  const [first, ...others] = groups;
  for (const [forged, says] of [
    [others, ['groups do not add up to rows_n', 'groups do not add up to is_landlocked_n']],
    [
      [{...first, is_landlocked_ratio: 1}, ...others],
      ["a group's is_landlocked_ratio is not its is_landlocked_n / rows_n"],
    ],
    [[{...first, group: 'Europe'}, ...others], ['two groups have the same value']],
  ] as const)
    assert.deepEqual(classShare.disagreements({...paid, groups: forged}), says);
});

test('declared groups are in their order, also without rows', async () => {
  await using site = await countries({by: 'status'}, ROWS.slice(0, 3));
  const {sample} = await built(site);
  assert.deepEqual(
    (sample['groups'] as {group: string; rows_n: number}[]).map(({group, rows_n}) => [group, rows_n]),
    [
      ['draft', 1],
      ['in-force', 2],
      ['withdrawn', 0],
    ],
  );
});

test('more than 200 groups are refused', async () => {
  const rows = Array.from({length: 201}, (_, index) => `C${index},Name,Region ${index},true,draft`);
  await using site = await countries({by: 'region'}, rows);
  const {code, err} = await site.build();
  assert.equal(code, 1);
  assert.match(
    err,
    /^data\/products\/landlocked\.json:\d+: by "region" has 201 values in .*, and may have at most 200$/m,
  );
});

test('a label and a unit are used in the sentence, the schema and the page', async () => {
  const words = {labels: {is_landlocked_ratio: 'landlocked'}, units: {rows_n: 'countries'}};
  await using site = await countries(words);
  const {sample, schema} = await built(site);
  assert.match(String(sample['reason']), /^Landlocked: 40 % of 5 countries are landlocked\. It counts/);
  assert.match(String(sample['note']), / 40 % of 5 countries are landlocked\. /);
  const {properties} = schema as {properties: Record<string, Record<string, unknown>>};
  assert.equal(properties['is_landlocked_ratio']?.['title'], 'landlocked');
  assert.equal(properties['rows_n']?.['description'], 'unit: countries');
  const page = await readFile(join(site.root, 'public/products/landlocked.html'), 'utf8');
  assert.match(page, /2 of 5 countries are landlocked/);
  assert.match(page, />not landlocked</);
});

test('thousands are separated in the sentence, with and without a label', async () => {
  const rows = Array.from({length: 1250}, (_, n) => `C${n},Country ${n},Europe,${n % 2 === 0 || n < 1200},draft`);
  for (const [words, says] of [
    [{}, '1,225 of 1,250 rows have isLandlocked = true, a ratio of 0.98'],
    [
      {labels: {is_landlocked_ratio: 'landlocked'}, units: {rows_n: 'countries'}},
      '98 % of 1,250 countries are landlocked',
    ],
  ] as const) {
    await using site = await countries(words, rows);
    const {sample} = await built(site);
    assert.ok(String(sample['reason']).startsWith(`Landlocked: ${says}. It counts`), String(sample['reason']));
  }
});

for (const [given, shown] of [
  ['void', '"void"'],
  ['In-Force', '"In-Force"'],
  [true, 'true'],
] as const)
  test(`the class ${shown}, which the list lacks, is refused with the classes of the list and the command that adds one`, async () => {
    await using site = await countries({column: 'status', class: given});
    const {code, err, remedies} = await site.build();
    assert.equal(code, 1);
    assert.equal(err, `data/products/landlocked.json:7: class ${shown} is not one of draft, in-force, withdrawn\n`);
    assert.match(remedies ?? '', /: Correct it, or add the class to the list with `frozen freeze --add-class`\.$/);
  });

for (const primaryKey of [['k'], undefined])
  test(`a ${primaryKey ? 'key' : 'key that may repeat'} of exact decimals has all its digits, in the order of the numbers`, async () => {
    await using site = await emptySite();
    const key = {name: 'k', type: 'number', scale: 3, constraints: required};
    const status = {name: 'class', type: 'string', constraints: {...required, enum: ['dead']}};
    const csv = 'k,class\n12345678901234567.811,dead\n2.5,dead\n';
    await site.freeze({source: 'list', files: {'list.csv': csv}, schema: {fields: [key, status], primaryKey}});
    await site.write('data/products/dead.json', {
      ...PRODUCT,
      ...{title: 'Dead', source: 'list', column: 'class', class: 'dead', key: 'k'},
    });
    assert.equal((await site.build()).err, '');
    const {examples} = await readJson(site.root, 'public/api/v1/samples/dead.json');
    assert.deepEqual(
      (examples as {k: string}[]).map(({k}) => k),
      ['2.500', '12345678901234567.811'],
    );
  });

test('a column of lists cannot be a key', async () => {
  await using site = await emptySite();
  const tld = {name: 'tld', type: 'array', constraints: required};
  const status = {name: 'class', type: 'string', constraints: {...required, enum: ['dead']}};
  const files = {'list.ndjson': '{"tld":[".a"],"class":"dead"}\n'};
  await site.freeze({source: 'list', format: 'ndjson', files, schema: {fields: [tld, status]}});
  const product = {...PRODUCT, title: 'Dead', source: 'list', column: 'class', class: 'dead', key: 'tld'};
  await site.write('data/products/dead.json', product);
  assert.match(
    (await site.build()).err,
    /^data\/products\/dead\.json:\d+: key "tld" is a column of type array, which cannot be a key\n$/,
  );
});

test('rows without a class are counted as such, and are part of the whole', async () => {
  const withClasses = (...classes: string[]) => ({
    ...SCHEMA,
    fields: SCHEMA.fields.map(field => (field.name === 'region' ? {...field, constraints: {enum: classes}} : field)),
  });
  const product = {column: 'region', class: 'Europe', as: 'europe'};
  await using site = await countries(product, ROWS, withClasses('Europe', 'Americas'));
  const {sample, paid} = await built(site);
  assert.deepEqual(
    [sample['rows_n'], sample['europe_n'], sample['europe_ratio'], sample['counts']],
    [5, 2, 2 / 5, {Europe: 2, Americas: 2, missing: 1, total: 5}],
  );
  assert.deepEqual(classShare.disagreements(paid), []);
  await using other = await countries(product, ROWS, withClasses('Europe', 'Americas', 'missing'));
  const {err, remedies} = await other.build();
  assert.match(err, /column "region" has a class "missing", which "counts" uses for rows without a class$/m);
  assert.match(remedies ?? '', /Rename the class in the list, and freeze it with `--new-schema`\./);
});

test('an empty class and an empty group are marked for people', async () => {
  await using site = await emptySite();
  const rows = ['Europe', '', ''].map((region, n) => JSON.stringify({code: `c${n}`, region, part: region}));
  const texts = {type: 'string', constraints: {required: true, enum: ['', 'Europe']}};
  const fields = [
    {name: 'code', type: 'string', constraints: required},
    ...['region', 'part'].map(name => ({name, ...texts})),
  ];
  await site.freeze({
    source: 'countries',
    format: 'ndjson',
    files: {'countries.ndjson': `${rows.join('\n')}\n`},
    schema: {fields, primaryKey: ['code']},
  });
  await site.write('data/products/landlocked.json', {
    ...PRODUCT,
    column: 'region',
    class: '',
    as: 'elsewhere',
    by: 'part',
  });
  const {sample} = await built(site);
  assert.match(String(sample['reason']), /2 of 3 rows are classed \(empty\), a ratio of/);
  assert.deepEqual(sample['counts'], {'': 2, Europe: 1, total: 3});
  const page = await readFile(join(site.root, 'public/products/landlocked.html'), 'utf8');
  assert.match(page, /2 of 3 rows are classed \(empty\)/);
  assert.match(page, /\(empty\): 2, Europe: 1/);
  assert.match(page, />\(empty\)</);
});

test('a class may have any character of JSON', async () => {
  const odd = "a\0b'; --";
  const fields = [
    {name: 'code', type: 'string'},
    {name: 'status', type: 'string', constraints: {...required, enum: ['a', odd]}},
  ];
  const rows = [
    {code: 'CH', status: odd},
    {code: 'FR', status: 'a'},
  ];
  await using site = await emptySite();
  const files = {'countries.json': JSON.stringify(rows)};
  await site.freeze({source: 'countries', format: 'json', files, schema: {fields, primaryKey: ['code']}});
  await site.write('data/products/landlocked.json', {...PRODUCT, column: 'status', class: odd, as: 'odd'});
  const {paid} = await built(site);
  assert.deepEqual([paid['counts'], paid['rows']], [{a: 1, [odd]: 1, total: 2}, rows.slice(0, 1)]);
});
