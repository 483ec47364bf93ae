import {realpathSync, statSync} from 'node:fs';
import {randomBytes} from 'node:crypto';
import {rename, rm, writeFile} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {PUBLIC, SITE_FILE, paths} from '../../shared/paths.ts';

const NAME = 'sales.html';

/**
 * The file, absolute and without links, that a page is written to. Throws `InputError` where its folder is missing, or is
 * published: below a `public/` of a site, whatever link leads there, or in a tree with a catalogue.
 *
 * @param path a file, or a folder, in which the page is `sales.html`
 * @param root of the site, whose `public/` may be a link
 */
export function pageFileAt(path: string, root: string | undefined): string {
  const at = resolve(path);
  const file = ifReadable(() => statSync(at))?.isDirectory() ? join(at, NAME) : at;
  const folder = ifReadable(() => realpathSync.native(dirname(file)));
  if (folder === undefined) throw refused(path, 'is in no folder that is there');
  const ofSite = root === undefined ? undefined : ifReadable(() => realpathSync.native(join(root, PUBLIC)));
  const published = withFoldersAbove(join(folder, basename(file))).find(
    above => above === ofSite || isPublished(above),
  );
  if (published !== undefined) throw refused(path, 'is in a folder that is published: the page says who bought what');
  return join(folder, basename(file));
}

/** Writes the page for its owner alone, whole or not at all. A link in its place is replaced, and not followed. */
export async function writePage(file: string, text: string): Promise<void> {
  const staged = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(staged, text, {mode: 0o600, flag: 'wx'});
    await rename(staged, file);
  } catch (cause) {
    await rm(staged, {force: true});
    const {message} = cause as Error;
    throw refused(file, `cannot be written: ${message}`, cause);
  }
}

function withFoldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withFoldersAbove(above)];
}

function isPublished(folder: string): boolean {
  const isThere = (file: string) => ifReadable(() => statSync(join(folder, file))) !== undefined;
  return isThere(paths.catalogue) || (basename(folder).toLowerCase() === PUBLIC && isThere(join('..', SITE_FILE)));
}

function refused(file: string, rule: string, cause?: unknown): InputError {
  return new InputError({file, rule}, {cause});
}
