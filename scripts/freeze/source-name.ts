import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {refuse, wrongUsage} from '../../shared/fault.ts';
import {entryNameFaults, visibleIn} from '../../build/read/listing.ts';
import {isClose} from '../../shared/source-name.ts';
import {twinOf, twinsAmong} from '../../shared/file-names.ts';
import type {Order} from './order.ts';

const SOURCES = 'data/sources';

/**
 * Throws `InputError` if some file systems do not allow the name of a source or treat it as that of another one, or if a new source has a
 * name similar to that of an existing one, unless `--new-source` is given.
 */
export function checkSourceName({root, source, newSource}: Order): void {
  const others = visibleIn(root, SOURCES)
    .filter(name => name !== source)
    .sort();
  const twins = twinsAmong([source, ...others]).filter(([, earlier]) => earlier === source);
  refuse([
    ...entryNameFaults(SOURCES, [source]),
    ...twins.map(([name]) => ({code: 'FZ205' as const, file: `${SOURCES}/${source}`, rule: twinOf(name)})),
  ]);
  const close = others.filter(name => isClose(name, source));
  if (newSource || close.length === 0 || existsSync(join(root, SOURCES, source))) return;
  const rule = `is new, and close to ${close.join(', ')}`;
  const fix = 'Use the existing name, or add `--new-source` to start another source.';
  throw wrongUsage({code: 'FZ205', field: 'source', value: source, rule, fix});
}
