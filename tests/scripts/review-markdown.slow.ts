import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import fc from 'fast-check';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfmFromMarkdown} from 'mdast-util-gfm';
import type {Nodes} from 'mdast';
import {gfm} from 'micromark-extension-gfm';
import {markdown} from '../../scripts/review/markdown.ts';
import type {Review} from '../../scripts/review/report.ts';
import {say} from '../../scripts/review/words.ts';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {buildIn, committedSite, freezeDeny, runReview} from './reviewed.ts';

const GOLDEN = new URL('review.golden.md', import.meta.url);

/** Returns all nodes of GitHub's Markdown. */
function nodesOf(text: string): Nodes[] {
  const tree = fromMarkdown(text, {extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()]});
  const below = (node: Nodes): Nodes[] => [node, ...('children' in node ? node.children.flatMap(below) : [])];
  return below(tree);
}

/** Asserts that data is only in code, and the only HTML is the marker. */
function isTame(text: string, canary: string): void {
  const nodes = nodesOf(text);
  const html = nodes.filter(node => node.type === 'html').map(({value}) => value);
  assert.deepEqual(html, ['<!-- frozen-snapshots-review -->']);
  const acting = nodes.filter(({type}) =>
    ['link', 'image', 'linkReference', 'definition', 'footnoteReference'].includes(type),
  );
  assert.deepEqual(acting, []);
  for (const node of nodes) {
    if (node.type === 'text') assert.equal(node.value.includes(canary), false, node.value);
  }
}

test('the comment on a pull request is the expected one', async () => {
  await using site = await committedSite();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.05'});
  await freezeDeny(site, '2026-06-01', ['a.example dead', 'b.example soft_fail', 'c.example fraud', 'e.example dead']);
  const {status, stdout} = await runReview(site.root, ['--format', 'markdown']);
  assert.equal(status, 0);
  const products = stdout.replace(/\([0-9a-f]{7}\)/, '(commit)').split('\n### Rules\n')[0] ?? '';
  assert.equal(`${products.trimEnd()}\n`, await readFile(GOLDEN, 'utf8'));
});

test('text from data cannot mention users, link, break a table or be HTML', async () => {
  await using site = await committedSite();
  const hostile =
    '@canary #1 <img src=x onerror=canary()> [canary](javascript:canary) | ``` ` ~~~ <!-- https://canary.example \\| \\';
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, difference: hostile});
  const fields = ['url', 'class', 'other'].map(name => ({
    name,
    type: 'string',
    ...(name === 'class' ? {constraints: {enum: ['soft_fail', hostile]}} : {}),
  }));
  const cell = `"${hostile.replaceAll('"', '""')}\n\n# @canary"`;
  await site.freeze({
    source: 'deny-list',
    files: {'l.csv': `url,class,other\nhttps://a.example/,soft_fail,${cell}\n`},
    schema: {fields, primaryKey: ['url']},
  });
  await buildIn(site);
  const {status, stdout} = await runReview(site.root, ['--format', 'markdown']);
  assert.equal(status, 1);
  assert.equal(stdout.includes('@canary'), true);
  isTame(stdout, 'canary');
});

const EMPTY: Review = {
  stale: undefined,
  base: 'a',
  head: 'b',
  findings: [],
  site: [],
  products: [],
  rules: [],
  files: [],
  notes: [],
};
const NOTHING = {figures_unchanged: 0, members: [], past: [], history: {added: [], removed: []}, schemas: []};

/** Returns a review with the text in every place for data. */
function saying(text: string): Review {
  const both = {before: text, after: `${text}.`};
  const some = {shown: [text], total: 2};
  const rows = {shown: [{[text]: text}], total: 1};
  return {
    ...EMPTY,
    base: text,
    findings: [{severity: 'broken', code: 'rows-changed', says: say`${text}`}],
    site: [{path: text, ...both}],
    products: [
      {
        ...NOTHING,
        name: 'x',
        title: text,
        status: 'changed',
        kind: {before: 'query', after: 'query'},
        sources: [],
        price: {before: '$0.1', after: '$0.1'},
        as_of: both,
        figures: [{path: text, ...both, share: false}],
        rows: {
          member: 'rows',
          key: [text],
          listed: {before: 1, after: 1},
          total: {before: 1, after: 1},
          added: rows,
          removed: rows,
          changed: {shown: [], total: 0},
          everywhere: [],
        },
        tables: [
          {
            member: text,
            key: [text],
            listed: {before: 1, after: 1},
            total: {before: 1, after: 1},
            added: rows,
            removed: rows,
            changed: {shown: [{key: text, columns: [{column: text, before: text, after: text}]}], total: 1},
            everywhere: [],
          },
        ],
        lists: [{path: text, added: some, removed: some}],
        texts: [{path: text, ...both}],
        schemas: [{document: 'paid', path: text, change: 'member-added', breaking: true, before: text}],
      },
    ],
    rules: [{name: text, status: 'changed', path: both, price: {before: '$0.1', after: '$0.2'}}],
    files: [{path: text, status: 'added'}],
  };
}

test('no text can end the code that contains it', () => {
  const piece = fc.constantFrom(
    '`',
    '``',
    '```',
    '|',
    '\\',
    '\n',
    '\r',
    '\u2028',
    '@',
    '#1',
    '<b>',
    '</code>',
    '[a](b)',
    '~',
    '*',
    '_',
    ' ',
    '&#96;',
    '&lt;',
    '- ',
    '> ',
    'https://a.example',
    'www.a.example',
    'a@b.example',
    '\u202e',
    '\0',
  );
  const text = fc.array(fc.oneof(piece, fc.string()), {maxLength: 8}).map(parts => `canary${parts.join('')}canary`);
  fc.assert(
    fc.property(text, one => {
      isTame(markdown(saying(one)), 'canary');
    }),
    {numRuns: 200},
  );
});

test('a comment is below the limit of GitHub, and counts the omitted changes', () => {
  const one = saying('ü'.repeat(1900));
  const many = markdown({...one, findings: [], products: Array.from({length: 200}, () => one.products).flat()});
  assert.ok(Buffer.byteLength(many) < 65_536, `${Buffer.byteLength(many)} bytes`);
  assert.match(many, /^\d+ more products changed: run `frozen review` to see them\.$/m);
  const findings = Array.from(
    {length: 5000},
    (_, index) => ({severity: 'warning', code: 'price-changed', says: say`${index}`}) as const,
  );
  const warned = markdown({...EMPTY, findings});
  assert.ok(Buffer.byteLength(warned) < 65_536);
  assert.match(warned, /^- and \d+ more$/m);
});
