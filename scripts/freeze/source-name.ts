import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {isClose} from '../../build/read/source-name-hint.ts';
import {foldedName} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import type {Order} from './order.ts';

/** Throws `InputError` for a new source whose name is similar to that of an existing one, unless `--new-source` is given. */
export function refuseCloseSource({root, source, newSource}: Order): void {
  const folder = join(root, 'data/sources');
  if (newSource || existsSync(join(folder, source))) return;
  const names = ifReadable(() => readdirSync(folder)) ?? [];
  const close = names.filter(name => !name.startsWith('.') && isClose(name, source));
  // Names that are equal on some file systems are refused by a later check, and `--new-source` would not help.
  if (close.length === 0 || close.some(name => foldedName(name) === foldedName(source))) return;
  const rule = `is new, and close to ${close.join(', ')}: use that name, or add --new-source to start another source`;
  throw new InputError({code: 'FZ205', field: 'source', value: source, rule}, {ofUsage: true});
}
