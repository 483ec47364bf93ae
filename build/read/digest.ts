import {createHash} from 'node:crypto';
import {InputError, mapAll, refuse} from '../../shared/fault.ts';
import {isSameInput, knownInput} from '../disk/known-file.ts';
import {inputChunks, withInput} from '../disk/plain-file.ts';
import type {Freeze} from './freezes.ts';

/** The files of a freeze, with the size and digest of their bytes. */
export type Digested = Pick<
  Freeze,
  'root' | 'source' | 'date' | 'folder' | 'descriptor' | 'files' | 'bytes' | 'sha256'
>;

const CHUNK_BYTES = 1 << 20;

/** How git and editors change line ends, and functions that revert the change (in latin-1). */
const LINE_ENDS: readonly (readonly [now: string, frozen: string, undo: (text: string) => string])[] = [
  ['CR LF', 'LF', text => text.replaceAll('\r\n', '\n')],
  ['LF', 'CR LF', text => text.replaceAll('\n', '\r\n')],
];

/** Throws `InputError` with the files of a freeze that cannot be opened. */
export async function checkReadable({root, files}: Digested): Promise<void> {
  await mapAll(files, file => {
    withInput(root, file, () => undefined);
  });
}

/** Called with the number of further bytes that were read. */
export type OnBytes = (bytes: number) => void;

/** Compares the size and SHA-256 of a freeze with its descriptor. Throws `InputError` if they differ, or if a file changes meanwhile. */
export async function checkDigest(freeze: Digested, onBytes: OnBytes): Promise<void> {
  const {root} = freeze;
  const before = freeze.files.map(file => knownInput(root, file));
  const hash = createHash('sha256');
  let size = 0;
  for (const {path} of before) {
    for await (const chunk of inputChunks(root, path, CHUNK_BYTES)) {
      hash.update(chunk);
      size += chunk.length;
      onBytes(chunk.length);
    }
  }
  const changed = before.filter(known => !isSameInput(root, known));
  refuse(changed.map(({path: file}) => ({code: 'FZ402', file, rule: 'changed while it was read'})));
  const sha256 = hash.digest('hex');
  const [file = freeze.folder] = freeze.files;
  const isOfSize = size === freeze.bytes;
  if (isOfSize && sha256 === freeze.sha256) return;
  const rule = await lineEndRule(freeze);
  if (rule !== undefined) throw new InputError({code: 'FZ110', file, rule});
  const [field, value, should] = isOfSize ? ['sha256', sha256, 'hash in'] : ['size', size, `${freeze.bytes} bytes of`];
  const edited = `is not the ${should} ${freeze.descriptor}: a freeze is never edited`;
  throw new InputError({code: 'FZ110', file, field, value, rule: edited});
}

/** The error message for a file whose line ends changed. */
export function otherLineEnds(now: string, frozen: string): string {
  return `has ${now} line ends, but was frozen with ${frozen}, probably because git or an editor changed them: put the line "data/sources/** -text" into .gitattributes, and restore the file`;
}

/** The error message for files that differ only in their line ends. Undefined if their bytes differ in another way. */
async function lineEndRule({root, files, bytes, sha256}: Digested): Promise<string | undefined> {
  // Parquet and gzip are not text.
  if (files.some(file => /\.(gz|parquet)$/.test(file))) return undefined;
  for (const [now, frozen, undo] of LINE_ENDS) {
    const hash = createHash('sha256');
    let size = 0;
    for (const file of files)
      for await (const text of wholeLineEnds(root, file)) {
        const undone = undo(text);
        hash.update(undone, 'latin1');
        size += undone.length;
      }
    if (size === bytes && hash.digest('hex') === sha256) return otherLineEnds(now, frozen);
  }
  return undefined;
}

/** The bytes of a file as text (latin-1), in pieces that never end between CR and LF. */
async function* wholeLineEnds(root: string, file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of inputChunks(root, file, CHUNK_BYTES)) {
    const text = rest + chunk.toString('latin1');
    rest = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - rest.length);
  }
  yield rest;
}
