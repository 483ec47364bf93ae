import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import glob from 'fast-glob';
import type {Nodes} from 'mdast';
import ts from 'typescript';
import {blockOf, nodesOf, PAGES, readPage, taskOf, type Page} from './page.ts';
import {Reader} from './reader.ts';
import {PROJECT} from '../project.ts';

const ARCHITECTURE = readPage('docs/architecture.md');

test('the README and the promises have at most 120 lines, and pages by task 200', () => {
  const reference = ['docs/cli.md', 'docs/specification.md', 'docs/testing.md'];
  for (const {path, text} of PAGES) {
    const most = path === 'README.md' || path === 'docs/promises.md' ? 120 : 200;
    if (!reference.includes(path)) assert.ok(text.split('\n').length - 1 <= most, path);
  }
});

test('no line has more than 140 characters outside tables and code', () => {
  for (const {path, text, tree} of PAGES) {
    const free = new Set(nodesOf(tree, 'table', 'code').flatMap(linesOf));
    const long = text
      .split('\n')
      .flatMap((line, index) => (line.length > 140 && !free.has(index + 1) ? [index + 1] : []));
    assert.deepEqual(long, [], path);
  }
});

test('every link leads somewhere', () => {
  for (const page of PAGES)
    for (const {url} of nodesOf(page.tree, 'link', 'image', 'definition'))
      if (!/^https?:/.test(url)) assert.ok(leadsSomewhere(page, url), `${page.path}: ${url}`);
});

test('every page can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const {url} of nodesOf(readPage(path).tree, 'link'))
      if (/^[^:]+\.md(#|$)/.test(url) && !url.includes('CHANGELOG')) reached.add(target(path, url));
  assert.deepEqual([...reached].sort(), PAGES.map(({path}) => path).sort());
});

test('every block of commands is run, or says why it is not', () => {
  for (const {path, tree} of PAGES)
    for (const block of nodesOf(tree, 'code')) assert.doesNotThrow(() => taskOf(block), path);
});

describe('the blocks do what they say', () => {
  for (const {path, tree} of PAGES) {
    const blocks = nodesOf(tree, 'code').filter(block => taskOf(block).kind !== 'none');
    if (blocks.length === 0) continue;
    test(path, async () => {
      await using reader = await Reader.start();
      for (const block of blocks) await reader.follow(block);
    });
  }
});

test('the drawing of the rooms has the arrows of the imports, and no others', () => {
  const drawn = [...blockOf(ARCHITECTURE, 'mermaid').matchAll(/(\w+)(?:\[.*?\])? --> (\w+)/g)];
  const rooms = new Set(imports('{build,paywall,scripts,shared}').map(([from, to]) => `${roomOf(from)} ${roomOf(to)}`));
  const between = [...rooms].filter(arrow => !/^(\w+) \1$|package/.test(arrow));
  assert.deepEqual(drawn.map(([, from, to]) => `${from} ${to}`).sort(), between.sort());
});

for (const [folder, title] of [
  ['build', 'Inside the generator'],
  ['paywall', 'Inside the gate'],
] as const)
  test(`rooms of ${folder}/ import only from those above them`, () => {
    const section = ARCHITECTURE.text.split(/^## /m).find(text => text.startsWith(title)) ?? '';
    const order = [...section.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, room = '']) => room);
    const rooms = new Set(glob.sync('*/**/*.ts', {cwd: join(PROJECT, folder)}).map(roomOf));
    assert.deepEqual([...order].sort(), [...rooms].sort());
    const place = (path: string) => (roomOf(path) === folder ? order.indexOf(path.split('/')[1] ?? '') : -1);
    assert.deepEqual(
      imports(`${folder}/*`).filter(([from, to]) => place(to) > place(from)),
      [],
    );
  });

/** The lines that a node takes. */
function linesOf({position}: Nodes): number[] {
  const {start, end} = position ?? assert.fail();
  return Array.from({length: end.line - start.line + 1}, (_, index) => start.line + index);
}

/** The path below the root of the project that a relative link of a page leads to. */
function target(from: string, url: string): string {
  return new URL(url, `file:///${from}`).pathname.slice(1);
}

function leadsSomewhere({path}: Page, url: string): boolean {
  const [, anchor] = url.split('#');
  const file = url.startsWith('#') ? path : target(path, url);
  if (!existsSync(join(PROJECT, file))) return false;
  return anchor === undefined || nodesOf(readPage(file).tree, 'heading').some(heading => slugOf(heading) === anchor);
}

/** The anchor that GitHub gives a heading. */
function slugOf(heading: Nodes): string {
  const text = nodesOf(heading, 'text', 'inlineCode').map(({value}) => value);
  return text
    .join('')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** What the sources below a folder import from files of this project: from and to, below its root. */
function imports(folder: string): (readonly [from: string, to: string])[] {
  return glob.sync(`${folder}/**/*.ts`, {cwd: PROJECT}).flatMap(from => {
    const {importedFiles} = ts.preProcessFile(readFileSync(join(PROJECT, from), 'utf8'));
    const own = importedFiles.filter(({fileName}) => fileName.startsWith('.'));
    return own.map(({fileName}) => [from, target(from, fileName)] as const);
  });
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? '';
}
