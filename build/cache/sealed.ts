import {hash} from 'node:crypto';
import {appendFileSync, mkdirSync, renameSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {ifReadable} from '../disk/if-readable.ts';
import {readNow} from '../disk/file-digest.ts';
import {writeText} from '../write/write-text.ts';

const DIGEST_LENGTH = 64;

/** Writes a text with its SHA-256 behind it. Throws the system's error where it cannot. */
export function writeSealed(file: string, text: Iterable<string>): void {
  // The next one writes over what a killed one left.
  const unfinished = `${file}.new`;
  mkdirSync(dirname(file), {recursive: true});
  try {
    const {sha256} = writeText(unfinished, text);
    appendFileSync(unfinished, sha256);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, {force: true});
    throw error;
  }
}

/** The text of a file, where it is whole. */
export function readSealed(file: string): string | undefined {
  return ifReadable(() => {
    const bytes = readNow(file);
    const text = bytes.subarray(0, -DIGEST_LENGTH);
    return hash('sha256', text) === bytes.toString('latin1', text.length) ? text.toString('utf8') : undefined;
  });
}
