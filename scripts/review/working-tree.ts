import {createHash} from 'node:crypto';
import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';
import {InputError} from '../../shared/fault.ts';
import type {Repository} from './repository.ts';
import {readBounded} from '../verify/bounded-file.ts';
import {MAX_SITE_BYTES} from '../verify/bounds.ts';
import {GENERATED, type State} from './state.ts';

/** The state of the files as they are on disk, committed or not. */
export async function workingTreeState({root, digest}: Repository): Promise<State> {
  const patterns = GENERATED.map(folder => `${folder}/**`);
  const paths = await glob(patterns, {cwd: root, dot: true, followSymbolicLinks: false});
  const ids = new Map<string, string>();
  for (const path of paths.sort()) ids.set(path, await idOf(root, path, digest));
  return {
    name: 'the working tree',
    place: '',
    ids,
    async read(wanted) {
      const held = new Map<string, Buffer>();
      let bytes = 0;
      for (const path of wanted) {
        if (bytes > MAX_SITE_BYTES) break;
        const content = await onDisk(path, () => readBounded(join(root, path), MAX_SITE_BYTES));
        held.set(path, content);
        bytes += content.length;
      }
      return held;
    },
  };
}

/** The name that git gives a file's content, so that a file is compared with a commit without reading the commit. */
function idOf(root: string, path: string, digest: 'sha1' | 'sha256'): Promise<string> {
  return onDisk(path, async () => {
    await using file = await open(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK);
    const {size} = await file.stat();
    const hash = createHash(digest).update(`blob ${size}\0`);
    for await (const chunk of file.createReadStream({autoClose: false})) hash.update(chunk as Buffer);
    return hash.digest('hex');
  });
}

/** What a file gives. Throws `InputError` about its path from the root where it cannot be read. */
async function onDisk<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof InputError)
      throw new InputError(
        cause.faults.map(fault => ({...fault, file: path})),
        {cause},
      );
    const {code = 'unknown'} = cause as NodeJS.ErrnoException;
    throw new InputError({file: path, rule: `cannot be read (${code})`}, {cause});
  }
}
