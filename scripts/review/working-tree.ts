import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';
import {InputError} from '../../shared/fault.ts';
import type {Repository} from './repository.ts';
import {GENERATED, type State} from './state.ts';

/** The state of the files as they are on disk, committed or not. */
export async function workingTreeState({root, digest}: Repository): Promise<State> {
  const patterns = GENERATED.map(folder => `${folder}/**`);
  const paths = await glob(patterns, {cwd: root, dot: true, followSymbolicLinks: false});
  const ids = new Map<string, string>();
  for (const path of paths.sort()) ids.set(path, idOf(await bytesOf(root, path), digest));
  return {
    name: 'the working tree',
    place: '',
    ids,
    read: async wanted =>
      new Map(await Promise.all(wanted.map(async path => [path, await bytesOf(root, path)] as const))),
  };
}

/** The name that git gives a file's content, so that a file is compared with a commit without reading the commit. */
function idOf(bytes: Buffer, digest: 'sha1' | 'sha256'): string {
  return createHash(digest).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

async function bytesOf(root: string, path: string): Promise<Buffer> {
  try {
    return await readFile(join(root, path));
  } catch (cause) {
    const {code = 'unknown'} = cause as NodeJS.ErrnoException;
    throw new InputError({file: path, rule: `cannot be read (${code})`}, {cause});
  }
}
