import {readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Built} from '../build.ts';
import {someOf} from './some-of.ts';
import {ifReadable} from '../disk/if-readable.ts';

/** Only documents belong below it. */
const DOCUMENTS = 'public/api/v1';

/**
 * A note on what stands among the documents of a build and is none of them, where anything does: left there by another build, say, of
 * which git has taken back the catalogue. Hidden files are whoever's they are.
 */
export function strays(root: string, {outputs, changes}: Pick<Built, 'outputs' | 'changes'>): string[] {
  const paths = Object.keys(outputs).filter(path => path.startsWith(`${DOCUMENTS}/`));
  const folders = new Set(paths.map(path => dirname(path)));
  const known = new Set([...paths, ...folders, ...changes.removed]);
  const found = [...folders].flatMap(folder =>
    (ifReadable(() => readdirSync(join(root, folder))) ?? [])
      .filter(name => !name.startsWith('.'))
      .map(name => `${folder}/${name}`),
  );
  const others = found.filter(path => !known.has(path)).sort();
  return others.length === 0
    ? []
    : [`the catalogue does not list these, so nobody would be asked to pay for them: delete ${someOf(others)}`];
}
