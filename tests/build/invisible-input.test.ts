import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {frozen} from '../../scripts/program.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, denySite, SITE} from './site-fixture.ts';

const PRODUCT = 'data/products/soft-fail-3.json';
const DESCRIPTOR = 'data/sources/deny-list/2026-05-01/datapackage.json';
const HIDDEN = ['\u00a0', '\u200b', '\u2800', '\u3164', '\u00ad', '\ufe0f', '\u{e0041}'];
const code = (text: string) => `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
const fields = (field: object) => ({
  ...DENY_SCHEMA,
  fields: [{...DENY_SCHEMA.fields[0], ...field}, DENY_SCHEMA.fields[1]],
});

async function errorsOf(write: (site: Awaited<ReturnType<typeof denySite>>) => Promise<void>): Promise<string[]> {
  await using site = await denySite();
  await write(site);
  const {code: exit, err} = await site.build();
  assert.equal(exit, 1);
  return err.trim().split('\n');
}

describe('the build refuses an invisible character', () => {
  for (const hidden of HIDDEN) {
    const rule = `has the invisible character ${code(hidden)} at position 2`;
    const text = `a${hidden}b`;
    it(`${code(hidden)} in members of a product, each with line and field`, async () => {
      for (const member of ['title', 'difference']) {
        const [error = '', ...more] = await errorsOf(site => site.write(PRODUCT, {...CLASS_SHARE, [member]: text}));
        assert.match(error, new RegExp(`^${PRODUCT}:\\d+: ${member} "a\\\\u`));
        assert.ok(error.includes(rule), error);
        assert.deepEqual(more, []);
      }
    });
    it(`${code(hidden)} in the site file, and in a unit`, async () => {
      const [error = ''] = await errorsOf(site =>
        site.write('data/site.json', {...SITE, license: {name: text, url: 'https://a.example/'}}),
      );
      assert.ok(
        error.startsWith('data/site.json:') && error.includes(`license.name "a\\u`) && error.includes(rule),
        error,
      );
      const [second = ''] = await errorsOf(site => site.write(PRODUCT, {...CLASS_SHARE, units: {rows_n: text}}));
      assert.ok(second.includes('units.rows_n') && second.includes(rule), second);
    });
    it(`${code(hidden)} in words and names of columns`, async () => {
      for (const field of [{title: text}, {description: text}, {unit: text}, {name: text}]) {
        const errors = await errorsOf(site =>
          site.freeze({source: 'deny-list', files: {'deny-list.csv': DENY_CSV}, schema: fields(field)}),
        );
        const error = errors.find(line => line.startsWith(DESCRIPTOR)) ?? '';
        assert.ok(error.includes(`schema.fields[0].${Object.keys(field).join('')}`) && error.includes(rule), error);
      }
    });
  }

  it('in the name of a member', async () => {
    const [error = ''] = await errorsOf(site => site.write(PRODUCT, {...CLASS_SHARE, ['labels\u2800']: {}}));
    assert.match(error, /labels\\u2800 has the invisible character U\+2800 at position 7/);
  });
});

describe('values of a list', () => {
  it('may have invisible characters, also as classes and missing values', async () => {
    await using site = await denySite();
    const value = 'می‌خواهم\u00a0❤\ufe0f';
    const [url, classes] = DENY_SCHEMA.fields;
    await site.freeze({
      source: 'deny-list',
      files: {'deny-list.csv': `url,class\nhttps://a.example/,${value}\nhttps://b.example/,soft_fail\n`},
      schema: {
        ...DENY_SCHEMA,
        missingValues: ['', '\u00a0'],
        fields: [
          url,
          {...classes, missingValues: ['\u200b'], constraints: {required: true, enum: ['soft_fail', value]}},
        ],
      },
    });
    await site.write(PRODUCT, {...CLASS_SHARE, class: value, as: 'odd', title: 'Odd'});
    const {code: exit, err} = await site.build();
    assert.equal(exit, 0, err);
  });
});

describe('freeze', () => {
  it('refuses a column with an invisible character in its name, and accepts new names', async () => {
    await using site = await denySite();
    await site.write('list.csv', 'id,na\u00a0me\n1,x\n2,y\n');
    const run = async (...args: string[]) => {
      let err = '';
      const write = (text: string) => (err += text);
      const list = [`${site.root}/list.csv`, '--root', site.root, '--as-of', '2026-05-01', '--primary-key', 'id'];
      const exit = await frozen(['freeze', 'people', ...list, ...args], {out: {write: () => 0}, err: {write}});
      return {exit, err};
    };
    const refused = await run();
    assert.equal(refused.exit, 1);
    assert.match(
      refused.err,
      /:1: column 2 "na\\u00a0me" has the invisible character U\+00A0 at position 3\. \[FZ106\]$/m,
    );
    const titled = await run('--title', 'a\u200bb');
    assert.match(titled.err, /--title "a\\u200bb" has the invisible character U\+200B/);
    const renamed = await run('--header-row', '1', '--columns', 'id,name');
    assert.equal(renamed.exit, 0, renamed.err);
  });
});

describe('a command', () => {
  it('shows invisible characters in its output as escapes', async () => {
    let err = '';
    await frozen(['buy', 'x\u2800\u3164\u202e'], {err: {write: text => (err += text)}});
    assert.match(err, /x\\u2800\\u3164\\u202e/);
    assert.doesNotMatch(err, /[\u2800\u3164\u202e]/);
  });
});
