import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {type Fault, wrongUsage} from '../../shared/fault.ts';
import {entryNameFaults, visibleIn} from '../../build/read/listing.ts';
import {isClose} from '../../shared/source-name.ts';
import {foldedName, twinOf, twinsAmong} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import type {Order} from './order.ts';

const SOURCES = 'data/sources';

/** Throws `InputError` for a new source whose name is similar to that of an existing one, unless `--new-source` is given. */
export function refuseCloseSource({root, source, newSource}: Order): void {
  const folder = join(root, SOURCES);
  if (newSource || existsSync(join(folder, source))) return;
  const names = ifReadable(() => readdirSync(folder)) ?? [];
  const close = names.filter(name => !name.startsWith('.') && isClose(name, source));
  // Names that are equal on some file systems are refused by a later check, and `--new-source` would not help.
  if (close.length === 0 || close.some(name => foldedName(name) === foldedName(source))) return;
  const rule = `is new, and close to ${close.join(', ')}`;
  const fix = 'Use the existing name, or add `--new-source` to start another source.';
  throw wrongUsage({code: 'FZ205', field: 'source', value: source, rule, fix});
}

/** Returns the errors of the name of a new source, compared with the existing ones. */
export function newSourceFaults(root: string, source: string): Fault[] {
  const others = visibleIn(root, SOURCES)
    .filter(name => name !== source)
    .sort();
  return entryNameFaults(SOURCES, [source]).concat(
    twinsAmong([source, ...others])
      .filter(([, earlier]) => earlier === source)
      .map(([name]) => ({code: 'FZ205' as const, file: `${SOURCES}/${source}`, rule: twinOf(name)})),
  );
}
