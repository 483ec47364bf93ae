import {createHash} from 'node:crypto';
import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';
import {InputError} from '../../shared/fault.ts';
import {readBounded} from '../verify/bounded-file.ts';
import {MAX_SITE_BYTES} from '../verify/bounds.ts';
import type {Repository} from './repository.ts';
import {GENERATED, missing, type State} from './state.ts';

/** The state of the files as they are on disk, committed or not. */
export async function workingTreeState({root, digest}: Repository): Promise<State> {
  const patterns = GENERATED.map(folder => `${folder}/**`);
  const paths = await glob(patterns, {cwd: root, dot: true, followSymbolicLinks: false});
  const ids = new Map<string, string>();
  for (const path of paths.sort()) ids.set(path, await onDisk(path, () => idOf(join(root, path), digest)));
  return {
    name: 'the working tree',
    place: '',
    ids,
    read: path => (ids.has(path) ? onDisk(path, () => readBounded(join(root, path), MAX_SITE_BYTES)) : missing(path)),
  };
}

/** The name that git gives a file's content, so that a file is compared with a commit without reading the commit. */
async function idOf(file: string, digest: string): Promise<string> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const {size} = await handle.stat();
  const hash = createHash(digest).update(`blob ${size}\0`);
  for await (const chunk of handle.createReadStream({autoClose: false})) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** What a file gives. Throws `InputError` about its path from the root where it cannot be read. */
async function onDisk<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const {code = 'unknown'} = cause as NodeJS.ErrnoException;
    const faults = cause instanceof InputError ? cause.faults : [{rule: `cannot be read (${code})`}];
    throw new InputError(
      faults.map(fault => ({...fault, file: path})),
      {cause},
    );
  }
}
