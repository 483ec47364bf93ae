import {realpathSync} from 'node:fs';
import {open, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {siteFolderAround} from '../../shared/command-line.ts';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {findGit} from '../programs/git.ts';

/** Returns the path for a new key, absolute and with links resolved. Throws `InputError` if the folder is published. */
export function placeFor(file: string): string {
  const folder = ifReadable(() => realpathSync(dirname(file)));
  if (folder === undefined) {
    const rule = 'cannot be written, because its folder does not exist';
    const fix = 'Create the folder.';
    throw new InputError({code: 'FZ401', file, rule, fix});
  }
  const place = join(folder, basename(file));
  const where = siteFolderAround(place);
  if (where === undefined) return place;
  throw new InputError({code: 'FZ214', file, rule: `is below ${where}/ of a site, which is published`});
}

/** Writes a file that only its owner can read, or nothing. Throws `InputError` if it exists: a key is never overwritten. */
export async function writeKey(file: string, text: string): Promise<void> {
  let isNew = false;
  try {
    await using handle = await open(file, 'wx', 0o600);
    isNew = true;
    await handle.writeFile(text);
    await handle.sync();
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new InputError({code: 'FZ214', file, rule: 'already exists: a key is never overwritten'}, {cause});
    if (isNew) await rm(file, {force: true});
    throw new InputError({code: 'FZ401', file, rule: `cannot be written (${code})`}, {cause});
  }
}

/** True if `git add` would include a file. */
export async function isCommitted(file: string): Promise<boolean> {
  const git = await findGit(dirname(file)).catch(() => undefined);
  const ignored = await git?.answer('check-ignore', '--quiet', '--', basename(file));
  // git exits with 1 if the file is not ignored, and with 128 and a message without a repository.
  return ignored !== undefined && !ignored.ok && ignored.err === '';
}
