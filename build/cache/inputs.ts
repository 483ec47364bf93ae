import {hash} from 'node:crypto';
import {readdirSync} from 'node:fs';
import {join, relative, sep} from 'node:path';
import {fileDigest} from '../read/file-digest.ts';

/** The publisher's own files, which are small. The rows of a freeze are known by the digest in its `datapackage.json`. */
const DESCRIPTOR = /^data\/(site\.json|products\/.*\.json|sources\/.*\/datapackage\.json)$/;

/**
 * SHA-256 over the names of everything below `data/` and the bytes of the files that describe it: the same where a build would read
 * the same. None where that cannot be told: no `data/`, or a link in it.
 */
export function digestOfInputs(root: string): string | undefined {
  try {
    const entries = readdirSync(join(root, 'data'), {recursive: true, withFileTypes: true});
    if (entries.some(entry => !entry.isFile() && !entry.isDirectory())) return undefined;
    const names = entries.map(entry => {
      const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
      return entry.isFile() && DESCRIPTOR.test(path) ? `${path} ${fileDigest(join(root, path))}` : path;
    });
    return hash('sha256', JSON.stringify(names.sort()));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}
