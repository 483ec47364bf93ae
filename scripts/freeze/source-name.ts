import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline/promises';
import {InputError} from '../../shared/fault.ts';
import {foldedName} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import type {Order} from './order.ts';

/**
 * Confirms a new source whose name is close to that of an existing one: with a question on a terminal, otherwise with `--new-source`.
 * Throws `InputError` if it is not confirmed.
 *
 * @param asks whether a question may be asked if there is a terminal
 */
export async function confirmSource({root, source, newSource}: Order, asks: boolean): Promise<void> {
  const folder = join(root, 'data/sources');
  if (newSource || existsSync(join(folder, source))) return;
  const names = ifReadable(() => readdirSync(folder)) ?? [];
  const close = names.filter(name => !name.startsWith('.') && isClose(name, source));
  // A name that some file systems treat as the same is refused by a later check, and `--new-source` would not help.
  if (close.some(name => foldedName(name) === foldedName(source))) return;
  if (close.length === 0) return;
  if (asks && process.stdin.isTTY && process.stderr.isTTY && (await isConfirmed(source, close))) return;
  const rule = `is new, and close to ${close.join(', ')}: use that name, or add --new-source to start another source`;
  throw new InputError({file: 'source', value: source, rule});
}

/** True if two names differ by a plural, a hyphen or underscore, or one mistyped letter. Names that differ by a digit are not close. */
export function isClose(one: string, other: string): boolean {
  const [a, b] = [one, other].map(plain);
  if (a === undefined || b === undefined) return false;
  return a === b || (Math.min(a.length, b.length) > 3 && differByOneLetter(a, b));
}

/** A name without separators, each word in the singular. */
function plain(name: string): string {
  const words = name.toLowerCase().split(/[-_]+/);
  return words.map(word => word.replace(/ies$/, 'y').replace(/(?<=s|x|z|ch|sh)es$|(?<!s)s$/, '')).join('');
}

/** One letter more, less or other, or two neighbours swapped. */
function differByOneLetter(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (/\d/.test(left + right)) return false;
  const isSwapped = left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isSwapped || (left.length <= 1 && right.length <= 1);
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
