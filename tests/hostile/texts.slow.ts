import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {readOutput} from '../build/tree.ts';
import {CLASS_SHARE, emptySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import {readXml} from '../pages/xml.ts';

const range = (first: number, last: number) => Array.from({length: last - first + 1}, (_, index) => first + index);

/** Control characters. SQL texts cannot contain U+0000, so a function creates it. */
const CONTROLS = [...range(0x01, 0x1f), ...range(0x7f, 0x9f), 0x2028, 0x2029];
const BIDI = [0x61c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const chars = (codes: readonly number[]) => codes.map(code => `${String.fromCodePoint(code)}x`).join('');

/** Texts that reach pages, by their purpose. */
const TEXTS: readonly (readonly [what: string, text: string])[] = [
  ['controls', chars(CONTROLS)],
  ['a direction', chars(BIDI)],
  ['colours of a terminal', '\u001b[31mred\u001b]0;title\u0007'],
  ['a heading', 'x\n\n# Heading\n\n- [buy](https://evil.example)\n```\n'],
  ['a heading by old line ends', 'x\r\r# Heading\r\n- [buy](https://evil.example)'],
  ['the end of a script', '</script><script>alert(1)</script><!-- <script> ]]>'],
  ['the end of a text in JSON', '", "evil": "\\'],
  ['characters that XML does not allow', '\ufffe\uffff\u0001'],
  ['letters that are not changed', 'שָׁלוֹם می‌خواهم 👨‍👩‍👧 ﬁ é'],
];
/** Returns an expression of SQL for a text. The statement itself has only visible characters. */
const quoted = (text: string) => `decode(from_hex('${Buffer.from(text).toString('hex')}'))`;

/** All control characters except the line feed. */
const RAW = new RegExp(`[${chars([0, ...CONTROLS, ...BIDI]).replaceAll(/[x\n\]\\^-]/g, '')}]`);

async function nastySite(): Promise<SiteFixture> {
  const site = await emptySite();
  for (const [index, [, text]] of TEXTS.entries()) {
    const figures = `SELECT ${quoted(text)} AS a, [${quoted(text)}] AS b, chr(0) || 'x' AS c`;
    const rows = `SELECT url, ${quoted(text)} AS "n" FROM rows ORDER BY url`;
    const query = {
      title: `Query ${index}`,
      kind: 'query',
      price: '$0.02',
      source: 'list',
      difference: 'shows texts',
    };
    await site.write(`data/products/${index}.json`, {...query, figures, rows});
  }
  await site.write('data/products/titled.json', {
    ...CLASS_SHARE,
    title: 'Titled',
    source: 'list',
  });
  const classes = TEXTS.map(([, text]) => text);
  const list = classes.map((text, index) => ({
    url: `https://${index}.example/`,
    class: text,
    n: text,
  }));
  await site.freeze({
    source: 'list',
    files: {'list.json': JSON.stringify(list)},
    format: 'json',
    schema: {
      fields: [
        {name: 'url', type: 'string'},
        {name: 'class', type: 'string', constraints: {required: true, enum: ['soft_fail', ...classes]}},
        {name: 'n', type: 'string'},
      ],
      primaryKey: 'url',
    },
  });
  return site;
}

describe('control characters in the texts of lists, queries and titles', () => {
  let site: SiteFixture;
  let files: Readonly<Record<string, string>>;
  const textOf = (path: string) => Buffer.from(files[`public/${path}`] ?? '', 'latin1').toString();
  const pages = () =>
    Object.keys(files)
      .filter(path => path.endsWith('.html'))
      .map(path => textOf(path.slice('public/'.length)));

  before(async () => {
    site = await nastySite();
    const {code, err} = await site.build();
    assert.equal(code, 0, err);
    files = await readOutput(site.root);
  });
  after(() => site[Symbol.asyncDispose]());

  it('do not appear in pages, feeds and the text for models', () => {
    for (const path of Object.keys(files).filter(path => /\.(html|xml|txt|svg)$/.test(path))) {
      const text = Buffer.from(files[path] ?? '', 'latin1').toString();
      assert.doesNotMatch(text, RAW, `${path}: ${JSON.stringify(RAW.exec(text)?.[0])}`);
    }
  });

  it('leave every JSON file valid', () => {
    const json = Object.entries(files).filter(
      ([path]) => /\.json$|\/[^.]*$/.test(path) && !path.endsWith('_headers') && !path.endsWith('_redirects'),
    );
    assert.ok(json.length > 40);
    for (const [path, bytes] of json)
      assert.doesNotThrow(() => JSON.parse(Buffer.from(bytes, 'latin1').toString()) as unknown, path);
  });

  it('leave the linked data of the pages valid, with the original texts', () => {
    const scripts = pages().flatMap(page => [
      ...page.matchAll(/<script type="application\/ld\+json">([^]*?)<\/script>/g),
    ]);
    const described = scripts.map(([, json = '']) => {
      assert.doesNotMatch(json, /<!--|<script/i);
      return JSON.parse(json) as {'@type': string; name: string; description: string};
    });
    const catalogue = described.find(({'@type': type}) => type === 'DataCatalog');
    assert.equal(catalogue?.name, SITE.title);
    const descriptions = described.map(({description}) => description);
    for (const [what, text] of TEXTS)
      assert.ok(
        descriptions.some(description => description.includes(text)),
        what,
      );
  });

  it('leave feed and sitemap well-formed', () => {
    for (const path of ['feed.xml', 'sitemap.xml']) assert.doesNotThrow(() => readXml(textOf(path)), path);
  });

  it('do not start new lines in the text for models', () => {
    const headings = textOf('llms.txt').match(/^#+ .*$/gm) ?? [];
    assert.deepEqual(headings.slice(1), ['## Documents for sale', '## Free samples', '## For programs', '## Optional']);
    assert.doesNotMatch(textOf('llms.txt'), /^\s*[-*] \[buy\]|^```/m);
  });

  it('are shown as escapes, and other text is unchanged', () => {
    for (const [name, text] of [
      ['pages', pages().join('')],
      ...['llms.txt', 'feed.xml'].map(path => [path, textOf(path)]),
    ] as const) {
      assert.ok(text.includes('\\u001b'), name);
      assert.ok(text.includes(TEXTS.at(-1)?.[1] ?? '?'), name);
    }
  });
});

describe('a title or a difference in data/', () => {
  for (const code of [...CONTROLS, 0, 0xd800, 0xdfff])
    it(`has no U+${code.toString(16).padStart(4, '0')}`, async () => {
      await using site = await emptySite();
      const escape = `\\u${code.toString(16).padStart(4, '0')}`;
      for (const member of ['title', 'difference'])
        await site.write(
          `data/products/${member}.json`,
          JSON.stringify({...CLASS_SHARE, [member]: 'a@b'}).replace('a@b', `a${escape}b`),
        );
      const {code: exit, err} = await site.build();
      assert.equal(exit, 1);
      assert.match(err, /title\.json:1: .*(is not one line|has the invisible character U\+|half of a surrogate)/);
      assert.match(err, /difference\.json:1: .*(is not one line|has the invisible character U\+|half of a surrogate)/);
      assert.doesNotMatch(err, RAW);
    });
});
