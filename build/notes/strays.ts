import {readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Changes} from '../write/changes.ts';
import {someOf} from './some-of.ts';
import {ifReadable} from '../../shared/if-readable.ts';

/** Only documents belong below it. */
const DOCUMENTS = 'public/api/v1/';

/**
 * A note on what stands among the documents of a build and is none of them, where anything does: left there by another build, say, of
 * which git has taken back the catalogue. Hidden files are whoever's they are.
 */
export function strays(
  root: string,
  paths: readonly string[],
  {added, removed}: Pick<Changes, 'added' | 'removed'>,
): string[] {
  const documents = paths.filter(path => path.startsWith(DOCUMENTS));
  const folders = [...new Set(documents.map(path => dirname(path)))];
  const found = folders.map(folder => ({folder, names: visibleIn(join(root, folder))}));
  // Where every document stands, and there are no more files than that, there is nothing else.
  const most = documents.length + folders.filter(folder => folder.startsWith(DOCUMENTS)).length;
  if (added.length === 0 && found.reduce((sum, {names}) => sum + names.length, 0) <= most) return [];
  const known = new Set([...documents, ...folders, ...removed]);
  const others = found
    .flatMap(({folder, names}) => names.map(name => `${folder}/${name}`))
    .filter(path => !known.has(path));
  return others.length === 0
    ? []
    : [`the catalogue does not list these, so nobody would be asked to pay for them: delete ${someOf(others.sort())}`];
}

function visibleIn(folder: string): string[] {
  return (ifReadable(() => readdirSync(folder)) ?? []).filter(name => !name.startsWith('.'));
}
