import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, test} from 'node:test';
import glob from 'fast-glob';
import type {Nodes} from 'mdast';
import ts from 'typescript';
import {blockOf, nodesOf, readPage, taskOf, type Page} from './page.ts';
import {Reader} from './reader.ts';
import {PROJECT} from '../project.ts';

/** The pages at the top, except the changelog, and all of `docs/`. */
const PAGES: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...glob.sync('docs/**/*.md', {cwd: PROJECT}).sort(),
].map(readPage);

const ARCHITECTURE = readPage('docs/architecture.md');

test('the README and the promises have at most 120 lines, and pages by task 200', () => {
  const reference = ['docs/cli.md', 'docs/errors.md', 'docs/specification.md'];
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

test('every link has a target', () => {
  for (const page of PAGES)
    for (const {url} of nodesOf(page.tree, 'link', 'image', 'definition'))
      if (!/^https?:/.test(url)) assert.ok(hasTarget(page, url), `${page.path}: ${url}`);
});

test('every page can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const {url} of nodesOf(readPage(path).tree, 'link'))
      if (/^[^:]+\.md(#|$)/.test(url) && !url.includes('CHANGELOG')) reached.add(target(path, url));
  assert.deepEqual([...reached].sort(), PAGES.map(({path}) => path).sort());
});

test('every block of commands runs, names a test that reads it from the page, or the reason why it does not run', () => {
  for (const {path, tree} of PAGES)
    for (const block of nodesOf(tree, 'code')) {
      const task = taskOf(block);
      if (task.kind !== 'elsewhere') continue;
      assert.ok(
        readFileSync(join(PROJECT, task.file), 'utf8').includes(`readPage('${path}')`),
        `${path}: ${task.file}`,
      );
    }
});

describe('the blocks of a page have the results that it shows', () => {
  for (const {path, tree} of PAGES) {
    const blocks = nodesOf(tree, 'code').filter(block => !['none', 'elsewhere'].includes(taskOf(block).kind));
    if (blocks.length === 0) continue;
    test(path, async () => {
      await using reader = await Reader.start(path);
      for (const block of blocks) await reader.follow(block);
    });
  }
});

test('the drawing in the architecture page has exactly the arrows of the imports', () => {
  const drawn = [...blockOf(ARCHITECTURE, 'mermaid').matchAll(/(\w+)(?:\[.*?\])? --> (\w+)/g)];
  const arrows = new Set(
    imports('{build,buyer,paywall,scripts,shared}').map(([from, to]) => `${folderOf(from)} ${folderOf(to)}`),
  );
  const between = [...arrows].filter(arrow => !/^(\w+) \1$|package/.test(arrow));
  assert.deepEqual(drawn.map(([, from, to]) => `${from} ${to}`).sort(), between.sort());
});

for (const [folder, title] of [
  ['build', 'Inside the generator'],
  ['paywall', 'Inside the gate'],
  ['buyer', 'Inside the library for buyers'],
] as const)
  test(`folders of ${folder}/ import only from folders above them in the table`, () => {
    const section = ARCHITECTURE.text.split(/^## /m).find(text => text.startsWith(title)) ?? '';
    const order = [...section.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name = '']) => name);
    const folders = new Set(glob.sync('*/**/*.ts', {cwd: join(PROJECT, folder)}).map(folderOf));
    assert.deepEqual([...order].sort(), [...folders].sort());
    const rank = (path: string) => (folderOf(path) === folder ? order.indexOf(path.split('/')[1] ?? '') : -1);
    assert.deepEqual(
      imports(`${folder}/*`).filter(([from, to]) => rank(to) > rank(from)),
      [],
    );
  });

test('buyer/ imports only the modules of build/ that the architecture page lists', () => {
  const listed = [...ARCHITECTURE.text.matchAll(/^\| `(build\/.*\.ts)` \|/gm)].map(([, path = '']) => path);
  const used = imports('buyer').flatMap(([, to]) => (folderOf(to) === 'build' ? [to] : []));
  assert.deepEqual(listed.sort(), [...new Set(used)].sort());
});

for (const [what, nodeOf] of [
  ['file', (path: string) => path],
  ['folder', (path: string) => dirname(path)],
] as const)
  test(`no ${what} of the gate imports itself through others, not even for a type`, () => {
    const importsOf = new Map<string, Set<string>>();
    for (const [from, to] of imports('paywall').map(pair => pair.map(nodeOf) as [string, string]))
      if (from !== to) importsOf.set(from, (importsOf.get(from) ?? new Set()).add(to));
    let circle = [...importsOf.keys()];
    for (let length = 0; length !== circle.length;) {
      length = circle.length;
      circle = circle.filter(from => circle.some(to => importsOf.get(from)?.has(to)));
    }
    assert.deepEqual(circle, []);
  });

/** The line numbers of a node. */
function linesOf({position}: Nodes): number[] {
  const {start, end} = position ?? assert.fail();
  return Array.from({length: end.line - start.line + 1}, (_, index) => start.line + index);
}

/** The target of a relative link, as a path below the root of the project. */
function target(from: string, url: string): string {
  return new URL(url, `file:///${from}`).pathname.slice(1);
}

function hasTarget({path}: Page, url: string): boolean {
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

/** The imports of files of this project by the sources in a folder: from and to, below its root. */
function imports(folder: string): (readonly [from: string, to: string])[] {
  return glob.sync(`${folder}/**/*.ts`, {cwd: PROJECT}).flatMap(from => {
    const {importedFiles} = ts.preProcessFile(readFileSync(join(PROJECT, from), 'utf8'));
    // A file in tests/extra/ only exports a package.
    const own = importedFiles.filter(({fileName}) => fileName.startsWith('.') && !fileName.includes('tests/extra/'));
    return own.map(({fileName}) => [from, target(from, fileName)] as const);
  });
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}
