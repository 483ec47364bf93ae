import assert from 'node:assert/strict';
import {readFile, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';

const DENY = 'url,class\nhttps://a.example/,dead\nhttps://b.example/,fraud\n';
const [MAY, JUNE] = [
  ['--as-of', '2026-05-01'],
  ['--as-of', '2026-06-01'],
];

/** A site with a first freeze of a list. */
async function frozen(list: string, ...args: string[]): Promise<FreezeFixture> {
  const fixture = await freezeFixture();
  const {err} = await fixture.freeze('things', await fixture.list('first.csv', list), ...MAY, ...args);
  assert.equal(err, '');
  return fixture;
}

async function schemaIn(fixture: FreezeFixture, date: string) {
  const {schema} = (await fixture.descriptor('things', date)).resources[0];
  assert.ok(schema);
  return schema;
}

describe('a single change of the schema', {concurrency: 2}, () => {
  test('adds a column at its place in the list, and changes nothing else', async () => {
    await using fixture = await frozen(DENY);
    const before = await schemaIn(fixture, '2026-05-01');
    const list = await fixture.list('next.csv', 'url,family,class\nhttps://a.example/,3,dead\n');
    const {err} = await fixture.freeze('things', list, ...JUNE, '--add-column', 'family');
    assert.equal(err, '');
    const after = await schemaIn(fixture, '2026-06-01');
    const family = {name: 'family', type: 'integer', constraints: {required: true}};
    assert.deepEqual(after, {...before, fields: [before.fields[0], family, before.fields[1]]});
  });

  test('adds a class after the others, with its column if several columns have classes', async () => {
    await using fixture = await frozen('url,class,state\nhttps://a.example/,dead,up\nhttps://b.example/,fraud,up\n');
    const path = join(fixture.site.root, 'data/sources/things/2026-05-01/datapackage.json');
    const text = await readFile(path, 'utf8');
    const state =
      '"name": "state",\n            "type": "string",\n            "constraints": {\n              "enum": ["up"],';
    await writeFile(path, text.replace(/"name": "state",\s+"type": "string",\s+"constraints": \{/, state));
    const list = await fixture.list('next.csv', 'url,class,state\nhttps://a.example/,withdrawn,down\n');
    const args = ['--add-class', 'withdrawn', '--add-class', 'state=down'];
    const {err} = await fixture.freeze('things', list, ...JUNE, ...args);
    assert.equal(err, '');
    const {fields} = await schemaIn(fixture, '2026-06-01');
    assert.deepEqual(
      fields.map(({constraints}) => constraints?.enum),
      [undefined, ['dead', 'fraud', 'withdrawn'], ['up', 'down']],
    );
  });

  test('is suggested, with every new class, for a list that has some', async () => {
    const row = (n: number, kind: string, state: string) => `https://a${n}.example/,${kind},${state}\n`;
    const rows = (last: string) =>
      `url,class,state\n${Array.from({length: 30}, (_, n) => row(n, n % 2 ? 'dead' : 'fraud', n % 3 ? 'up' : 'down')).join('')}${last}`;
    await using fixture = await frozen(rows(''));
    const list = await fixture.list('next.csv', rows(row(30, 'not known', 'up') + row(31, 'not known', 'gone')));
    const {err, remedies = ''} = await fixture.freeze('things', list, ...JUNE);
    assert.match(err, /class "not known" is not one of dead, fraud$/m);
    const [, options = ''] = /add classes with `(.*?)`/.exec(remedies) ?? assert.fail(remedies);
    assert.equal(options, "--add-class 'class=not known' --add-class 'state=gone'");
    const again = await fixture.freeze(
      'things',
      list,
      ...JUNE,
      '--add-class',
      'class=not known',
      '--add-class',
      'state=gone',
    );
    assert.equal(again.err, '');
  });

  test('is suggested for the first twenty new classes, if there are more', async () => {
    const rows = (last: string) =>
      `url,class\n${Array.from({length: 30}, (_, n) => `https://a${n}.example/,${n % 2 ? 'dead' : 'fraud'}\n`).join('')}${last}`;
    await using fixture = await frozen(rows(''));
    const added = Array.from({length: 60}, (_, n) => `https://b${n}.example/,new ${n}\n`).join('');
    const {remedies = ''} = await fixture.freeze('things', await fixture.list('next.csv', rows(added)), ...JUNE);
    const [, options = ''] = /add classes with `(.*?)` \(there may be other new classes\), /.exec(remedies) ?? [];
    assert.equal(options.split('--add-class').length - 1, 20, remedies);
  });

  test('a class of a number column is a number of JSON, and not one of its classes', async () => {
    await using fixture = await frozen('id,size\na,1\nb,2\n', '--primary-key', 'id');
    const path = join(fixture.site.root, 'data/sources/things/2026-05-01/datapackage.json');
    const classes = '"constraints": {"enum": [1, 2], ';
    await writeFile(path, (await readFile(path, 'utf8')).replace(/"constraints": \{(?=[^{]*$)/, classes));
    const list = await fixture.list('next.csv', 'id,size\na,1\nb,3\n');
    for (const [added, says] of [
      ['size=1.0', '--add-class "size=1.0" is already a class of size\n'],
      ['size=', '--add-class "size=" is not of the column\'s type, integer\n'],
      ['size=0x3', '--add-class "size=0x3" is not of the column\'s type, integer\n'],
      ['size=3', ''],
    ] as const)
      assert.equal((await fixture.freeze('things', list, ...JUNE, '--add-class', added)).err, says);
  });

  test('is not suggested for the header of a second file that was joined', async () => {
    await using fixture = await frozen(DENY);
    const list = await fixture.list('next.csv', `${DENY}${DENY.split('\n', 1)[0]}\n`);
    const {code, err} = await fixture.freeze('things', list, ...JUNE);
    assert.equal(code, 1);
    assert.match(err, /^\S+next\.csv:\d+: row repeats the header, .*\n$/);
  });

  test('is refused if it changes nothing, or is impossible', async () => {
    await using fixture = await frozen(DENY);
    const list = await fixture.list('next.csv', DENY);
    for (const [args, says] of [
      [['--add-column', 'class'], '--add-column "class" is already a column of the last freeze'],
      [['--add-column', 'x'], '--add-column "x" is not a column of the list, which has url, class'],
      [['--add-class', 'dead'], '--add-class "dead" is already a class of class'],
      [
        ['--add-class', 'x', '--new-schema'],
        '--add-class "x" changes the schema of the last freeze, which --new-schema does not keep',
      ],
      [['--primary-key', 'url', '--primary-key', 'url'], '--primary-key "url" is named twice'],
      [['--no-primary-key'], '--no-primary-key is not the key in data/sources/things/2026-05-01/datapackage.json, url'],
    ] as const) {
      const {code, err} = await fixture.freeze('things', list, ...JUNE, ...args);
      assert.deepEqual([code, err], [args[0] === '--no-primary-key' ? 1 : 2, `${says}\n`]);
    }
    const {err} = await fixture.freeze('others', list, ...JUNE, '--add-class', 'x');
    assert.equal(
      err,
      '--add-class "x" changes the schema of the last freeze, but the source does not have a freeze yet\n',
    );
  });
});

describe('a new schema', {concurrency: 2}, () => {
  test('keeps a chosen key, type, pattern and description that all rows satisfy', async () => {
    await using fixture = await frozen('name,zip,part,sum\na,12345,A-1,1.5\nb,23456,A-2,2.5\n', '--primary-key', 'zip');
    const path = join(fixture.site.root, 'data/sources/things/2026-05-01/datapackage.json');
    const descriptor = JSON.parse(await readFile(path, 'utf8')) as {resources: {schema: {fields: object[]}}[]};
    const [name, , , sum] = descriptor.resources[0]?.schema.fields ?? [];
    const zip = {name: 'zip', type: 'string', title: 'Postal code', constraints: {required: true}};
    const part = {name: 'part', type: 'string', constraints: {required: true, unique: true, pattern: '[A-Z]-[0-9]+'}};
    Object.assign(descriptor.resources[0]?.schema ?? {}, {fields: [name, zip, part, sum]});
    await writeFile(path, JSON.stringify(descriptor));
    const list = await fixture.list('next.csv', 'name,zip,part,sum,more\na,12345,A-1,2,x\nb,23456,B-2,3,y\n');
    assert.equal((await fixture.freeze('things', list, ...JUNE, '--new-schema')).err, '');
    const after = await schemaIn(fixture, '2026-06-01');
    assert.deepEqual(after.primaryKey, ['zip']);
    const more = {name: 'more', type: 'string', constraints: {required: true}};
    assert.deepEqual(after.fields, [name, zip, part, sum, more]);
  });

  test('keeps classes that no row has, and a column that may lack values, so that products keep their shape', async () => {
    await using fixture = await frozen('id,class,note\na,dead,\nb,fine,x\n', '--primary-key', 'id');
    const list = await fixture.list('next.csv', 'class,id,note\nfine,a,y\nfine,b,z\n');
    const {err, out} = await fixture.freeze('things', list, ...JUNE, '--new-schema');
    assert.equal(err, '');
    assert.ok(!out.includes('compared with the schema of'), out);
    const after = await schemaIn(fixture, '2026-06-01');
    assert.deepEqual(after.fields, [
      {name: 'class', type: 'string', constraints: {required: true, enum: ['dead', 'fine']}},
      {name: 'id', type: 'string', constraints: {required: true}},
      {name: 'note', type: 'string'},
    ]);
  });

  test('drops classes that all mean a missing value now', async () => {
    await using fixture = await frozen('id,class\na,NA\nb,NA\nc,NA\n');
    const list = await fixture.list('next.csv', 'id,class\na,NA\nb,\nc,NA\n');
    const {err} = await fixture.freeze('things', list, ...JUNE, '--new-schema', '--missing', 'NA');
    assert.equal(err, '');
    const [, field] = (await schemaIn(fixture, '2026-06-01')).fields;
    assert.deepEqual(field, {name: 'class', type: 'string'});
  });

  test('drops a type and a pattern that rows violate, and chooses a key if the previous one is missing', async () => {
    await using fixture = await frozen('url,n\nhttps://a.example/,1\nhttps://b.example/,2\n');
    const list = await fixture.list('next.csv', 'name,n\na,x\nb,y\n');
    assert.equal((await fixture.freeze('things', list, ...JUNE, '--new-schema')).err, '');
    const after = await schemaIn(fixture, '2026-06-01');
    assert.deepEqual(after.primaryKey, ['name']);
    assert.deepEqual(
      after.fields.map(({type}) => type),
      ['string', 'string'],
    );
  });

  test('changes a column to an exact decimal if rows need it, and does not change it back', async () => {
    await using fixture = await frozen('id,whole,sum,exact\na,1,0.5,12345678901234567.89\n');
    const next = 'id,whole,sum,exact\na,1.5,12345678901234567.89,12345678901234567.891\nb,12345678901234567.89,1,2\n';
    const list = await fixture.list('next.csv', next);
    const {err, out} = await fixture.freeze('things', list, ...JUNE, '--new-schema');
    assert.equal(err, '');
    assert.match(out, /whole: integer → number with 2 exact digits after the point\n/);
    assert.match(out, /sum: number → number with 2 exact digits after the point\n/);
    assert.match(
      out,
      /exact: number with 2 exact digits after the point → number with 3 exact digits after the point\n/,
    );
    const last = await fixture.list('last.csv', 'id,whole,sum,exact\na,1,2,3\n');
    const again = await fixture.freeze('things', last, '--as-of', '2026-07-01', '--new-schema', '--primary-key', 'id');
    assert.equal(again.err, '');
    for (const date of ['2026-06-01', '2026-07-01']) {
      const {fields} = (await schemaIn(fixture, date)) as {fields: readonly {type: string; scale?: number}[]};
      assert.deepEqual(
        fields.map(({type, scale}) => [type, scale]),
        [
          ['string', undefined],
          ['number', 2],
          ['number', 2],
          ['number', 3],
        ],
      );
    }
  });

  test('does not choose a column as the key if it has duplicates in an earlier freeze', async () => {
    const rows = (title: (n: number) => string) =>
      `old,title,other\n${Array.from({length: 12}, (_, n) => `o${n},${title(n)},x${n}\n`).join('')}`;
    await using fixture = await frozen(
      rows(n => `t${n % 11}`),
      '--primary-key',
      'old',
    );
    const list = await fixture.list('next.csv', rows(n => `t${n}`).replaceAll(/^[^,]*,/gm, ''));
    assert.equal((await fixture.freeze('things', list, ...JUNE, '--new-schema')).err, '');
    assert.deepEqual((await schemaIn(fixture, '2026-06-01')).primaryKey, ['other']);
  });
});

test('the report has the differences from the last schema, as text and as JSON', async () => {
  await using fixture = await frozen(DENY);
  const list = await fixture.list('next.csv', 'url,class,family\nhttps://a.example/,withdrawn,3\n');
  const args = [...JUNE, '--dry-run', '--add-column', 'family', '--add-class', 'withdrawn'];
  const {out, err} = await fixture.freeze('things', list, ...args);
  assert.equal(err, '');
  for (const line of [
    'compared with the schema of 2026-05-01:',
    '  class: new classes withdrawn',
    '  family: added, integer',
  ])
    assert.ok(out.split('\n').includes(line), `${line}\n${out}`);
  const anew = await fixture.freeze('things', list, ...JUNE, '--dry-run', '--new-schema', '--json');
  const {schema_differences: reported} = JSON.parse(anew.out) as {schema_differences: object[]};
  assert.deepEqual(reported, [
    {column: 'class', change: 'new classes withdrawn'},
    {column: 'class', change: 'without the classes dead, fraud'},
    {column: 'family', change: 'added, integer'},
  ]);
});

test('the report has a change of the missing values', async () => {
  await using fixture = await frozen('id,n\na,1\nb,\n');
  const list = await fixture.list('next.csv', 'id,n\na,1\nb,NA\n');
  const args = [...JUNE, '--dry-run', '--new-schema', '--missing', 'NA', '--json'];
  const {schema_differences: differences} = JSON.parse((await fixture.freeze('things', list, ...args)).out) as {
    schema_differences: object[];
  };
  assert.deepEqual(differences, [{column: 'missingValues', change: '[""] → ["","NA"]'}]);
});

test('the creation time of a list causes a warning only if it is not given', async () => {
  await using fixture = await freezeFixture();
  const list = await fixture.list('first.csv', DENY);
  const noted = /^The files were modified after as_of \(.+\), so created is set to as_of/m;
  assert.match((await fixture.freeze('things', list, ...MAY, '--dry-run')).out, noted);
  const said = await fixture.freeze('things', list, ...MAY, '--dry-run', '--created', '2026-05-01');
  assert.equal(said.code, 0);
  assert.doesNotMatch(said.out, noted);
});

test('a modification time that is not in the years 0000 to 9999 is not the creation time', async () => {
  await using fixture = await freezeFixture();
  const list = await fixture.list('first.csv', DENY);
  // Some file systems store a time within their limits instead.
  for (const seconds of [-1e11, 1e12]) {
    await utimes(list, seconds, seconds);
    assert.equal((await fixture.freeze('things', list, ...MAY, '--dry-run')).err, '');
  }
});

test('columns are described once, and again if the description changes', async () => {
  await using fixture = await frozen(
    DENY,
    '--describe',
    'url.title=Address',
    '--describe',
    'class.description=Why, by hand',
  );
  const list = await fixture.list('next.csv', DENY);
  const change = ['--describe', 'class.description=', '--describe', 'class.unit=kind'];
  assert.equal((await fixture.freeze('things', list, ...JUNE, ...change)).err, '');
  const wordsOf = async (date: string) =>
    (await schemaIn(fixture, date)).fields.map(({name, title, description, unit}) => ({
      name,
      title,
      description,
      unit,
    }));
  assert.deepEqual(await wordsOf('2026-05-01'), [
    {name: 'url', title: 'Address', description: undefined, unit: undefined},
    {name: 'class', title: undefined, description: 'Why, by hand', unit: undefined},
  ]);
  assert.deepEqual(await wordsOf('2026-06-01'), [
    {name: 'url', title: 'Address', description: undefined, unit: undefined},
    {name: 'class', title: undefined, description: undefined, unit: 'kind'},
  ]);
  for (const [words, says] of [
    ['area', 'is not COLUMN.title=…, COLUMN.description=… or COLUMN.unit=…'],
    ['area.unit=km²', 'does not name a column of the list, which has url, class'],
  ] as const) {
    const {code, err} = await fixture.freeze('things', list, '--as-of', '2026-07-01', '--describe', words);
    assert.deepEqual([code, err], [2, `--describe ${JSON.stringify(words)} ${says}\n`]);
  }
});
