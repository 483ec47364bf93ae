import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';

/** How many documents lie below a folder, and how large they are together. */
export interface Documents {
  readonly count: number;
  readonly bytes: number;
}

export async function documentsBelow(folder: string): Promise<Documents> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true});
  const files = entries.filter(entry => entry.isFile());
  let bytes = 0;
  for (const {parentPath, name} of files) bytes += (await stat(join(parentPath, name))).size;
  return {count: files.length, bytes};
}
