import {readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import type {Changes} from '../write/changes.ts';
import {someOf} from './some-of.ts';
import {ifReadable} from '../disk/if-readable.ts';

/** Only documents belong below it. */
const DOCUMENTS = 'public/api/v1';

/**
 * A note on what stands among the documents of a build and is none of them, where anything does: left there by another build, say, of
 * which git has taken back the catalogue. Hidden files are whoever's they are.
 */
export function strays(root: string, tree: readonly {readonly path: string}[], {removed}: Changes): string[] {
  const folders = new Map<string, Set<string>>();
  const add = (path: string) => {
    const folder = dirname(path);
    folders.set(folder, (folders.get(folder) ?? new Set()).add(basename(path)));
  };
  for (const {path} of tree) if (path.startsWith(`${DOCUMENTS}/`)) add(path);
  for (const path of [...folders.keys(), ...removed]) if (path.startsWith(`${DOCUMENTS}/`)) add(path);
  const others = [...folders].flatMap(([folder, known]) => {
    const names = (ifReadable(() => readdirSync(join(root, folder))) ?? []).filter(name => !name.startsWith('.'));
    return names.filter(name => !known.has(name)).map(name => `${folder}/${name}`);
  });
  return others.length === 0
    ? []
    : [`the catalogue does not list these, so nobody would be asked to pay for them: delete ${someOf(others.sort())}`];
}
