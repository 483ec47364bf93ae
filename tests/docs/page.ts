import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Code, Nodes, Root} from 'mdast';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfmFromMarkdown} from 'mdast-util-gfm';
import {gfm} from 'micromark-extension-gfm';
import {PROJECT} from '../project.ts';

/** A page of Markdown. */
export interface Page {
  /** From the root of the project, e.g. `docs/hosts/aws.md`. */
  readonly path: string;
  readonly text: string;
  readonly tree: Root;
}

const pages = new Map<string, Page>();

/** The page at a path below the root of the project. It is parsed once, which takes a tenth of a second. */
export function readPage(path: string): Page {
  const page = pages.get(path) ?? parsedPage(path);
  pages.set(path, page);
  return page;
}

function parsedPage(path: string): Page {
  const text = readFileSync(join(PROJECT, path), 'utf8');
  return {path, text, tree: fromMarkdown(text, {extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()]})};
}

/** All nodes of some types, in the order of the page. */
export function nodesOf<T extends Nodes['type']>(node: Nodes, ...types: readonly T[]): Extract<Nodes, {type: T}>[] {
  const own = (types as readonly string[]).includes(node.type) ? [node as Extract<Nodes, {type: T}>] : [];
  return [...own, ...('children' in node ? node.children.flatMap(child => nodesOf(child, ...types)) : [])];
}

/** The text of the first block of a language. */
export function blockOf(page: Page, language: string): string {
  const block = nodesOf(page.tree, 'code').find(({lang}) => lang === language);
  if (!block) throw new Error(`${page.path} has no block of ${language}`);
  return block.value;
}

/**
 * The task of the test for a block of code. The words after its language decide it. Readers do not see them:
 * - `sh` runs in a site, `sh clone` in a clone of this repository. With `until-stopped` it runs until it serves an
 * address, with `sold` the site has the ledger of a gate that has sold documents;
 * - `sh run-by: <file>` is run by a test in this file, which reads it from the page;
 * - `sh not-run: <reason>` does not run;
 * - `console` runs each line after `$` and compares the output with the following lines, in which `…` matches any text;
 * - `file: <path>` is written into the site, `is: <path>` must be equal to a document of the site.
 */
export type Task =
  | {readonly kind: 'run'; readonly where: 'site' | 'clone'; readonly isServer: boolean; readonly hasSold: boolean}
  | {readonly kind: 'show'}
  | {readonly kind: 'write'; readonly path: string}
  | {readonly kind: 'compare'; readonly path: string}
  | {readonly kind: 'none'; readonly reason: string}
  | {readonly kind: 'elsewhere'; readonly file: string};

/** The task of a block. Throws if its mark is unknown. */
export function taskOf({lang, meta}: Code): Task {
  const [, word = '', rest = ''] = /^(file|is|not-run|run-by): (\S.*)$/.exec(meta ?? '') ?? [];
  if (word === 'not-run') return {kind: 'none', reason: rest};
  if (word === 'run-by') return {kind: 'elsewhere', file: rest};
  if (word !== '') return {kind: word === 'file' ? 'write' : 'compare', path: rest};
  if (lang === 'console' && !meta) return {kind: 'show'};
  if (lang !== 'sh' && lang !== 'bash' && lang !== 'console') return {kind: 'none', reason: 'no commands'};
  const words = new Set(meta?.split(' ') ?? []);
  const where = words.delete('clone') ? 'clone' : 'site';
  const [isServer, hasSold] = [words.delete('until-stopped'), words.delete('sold')];
  if (lang !== 'sh' || words.size > 0) throw new Error(`a block is marked "${lang} ${meta ?? ''}"`);
  return {kind: 'run', where, isServer, hasSold};
}
