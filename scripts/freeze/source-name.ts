import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline/promises';
import {InputError} from '../../shared/fault.ts';
import {isClose} from '../../build/read/source-name-hint.ts';
import {foldedName} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import type {Order} from './order.ts';

/**
 * Confirms a new source whose name is similar to that of an existing one: with a question on a terminal, otherwise with `--new-source`.
 * Throws `InputError` if it is not confirmed.
 *
 * @param asks whether to ask if there is a terminal
 */
export async function confirmSource({root, source, newSource}: Order, asks: boolean): Promise<void> {
  const folder = join(root, 'data/sources');
  if (newSource || existsSync(join(folder, source))) return;
  const names = ifReadable(() => readdirSync(folder)) ?? [];
  const close = names.filter(name => !name.startsWith('.') && isClose(name, source));
  // Names that are equal on some file systems are refused by a later check, and `--new-source` would not help.
  if (close.some(name => foldedName(name) === foldedName(source))) return;
  if (close.length === 0) return;
  if (asks && process.stdin.isTTY && process.stderr.isTTY && (await isConfirmed(source, close))) return;
  const rule = `is new, and close to ${close.join(', ')}: use that name, or add --new-source to start another source`;
  throw new InputError({code: 'FZ205', field: 'source', value: source, rule});
}

async function isConfirmed(source: string, close: readonly string[]): Promise<boolean> {
  const lines = createInterface({input: process.stdin, output: process.stderr});
  const brokenOff = new AbortController();
  lines.once('close', () => {
    brokenOff.abort();
  });
  try {
    const question = `There is no source ${source}, but ${close.join(', ')}. Start a new source? [y/N] `;
    return /^y(es)?$/i.test((await lines.question(question, brokenOff)).trim());
  } catch (error) {
    if (brokenOff.signal.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}
