import {createHash} from 'node:crypto';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {InputError, refuse} from '../../shared/fault.ts';
import {isSameInput, knownInput} from '../disk/known-file.ts';
import {inputChunks, withInput} from '../disk/plain-file.ts';
import type {Freeze} from './freezes.ts';
import {silentEdit} from './silent-edits.ts';

/** The files of a freeze, and what their bytes must be. */
export type Digested = Pick<Freeze, 'source' | 'date' | 'folder' | 'descriptor' | 'files' | 'bytes' | 'sha256'>;

/** Told how many further bytes were read. */
export type OnBytes = (bytes: number) => void;

/**
 * Reads the files of a freeze and compares size and SHA-256 with its descriptor. Throws `InputError` where they differ, or
 * where a file changed while it was read.
 */
export async function checkDigest(root: string, freeze: Digested, onBytes: OnBytes): Promise<void> {
  // No time is too young: a file is not known for longer than it is read.
  const before = freeze.files.map(file => knownInput(root, file, Infinity));
  const hash = createHash('sha256');
  let size = 0;
  for (const {path} of before) {
    for await (const chunk of chunksIn(root, path)) {
      hash.update(chunk);
      size += chunk.length;
      onBytes(chunk.length);
    }
  }
  const changed = before.filter(known => !isSameInput(root, known));
  refuse(changed.map(({path: file}) => ({file, rule: 'changed while it was read'})));
  const sha256 = hash.digest('hex');
  const [file = freeze.folder] = freeze.files;
  const isOfSize = size === freeze.bytes;
  if (isOfSize && sha256 === freeze.sha256) return;
  const edit = await silentEdit(root, freeze);
  if (edit !== undefined) throw new InputError({file, rule: edit});
  const [field, value, should] = isOfSize ? ['sha256', sha256, 'hash in'] : ['size', size, `${freeze.bytes} bytes of`];
  throw new InputError({
    file,
    field,
    value,
    rule: `is not the ${should} ${freeze.descriptor}: a freeze is never edited`,
  });
}

/** The bytes of a file; long ones in chunks, between which this thread does other work. */
function chunksIn(root: string, path: string): Iterable<Buffer> | AsyncIterable<Buffer> {
  const isShort = statSync(join(root, path)).size < 16 << 20;
  return isShort ? [withInput(root, path, opened => readFileSync(opened))] : inputChunks(root, path, 1 << 20);
}
