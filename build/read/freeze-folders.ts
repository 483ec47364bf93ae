import {readdirSync, realpathSync, statSync, type Dirent} from 'node:fs';
import {join, sep} from 'node:path';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {SOURCES} from '../../shared/paths.ts';
import {LEADS_OUT, realPathInside} from '../disk/plain-file.ts';
import type {FaultAt} from './table-schema.ts';
import {isTimestamp} from './validator.ts';

/** Returns the names of the folders of a source's freezes, sorted. Throws `InputError` if one is not a date, or a link. */
export function datesIn(root: string, source: string): string[] {
  const folder = `${SOURCES}/${source}`;
  const entries = entriesIn(root, folder).filter(({name}) => !name.startsWith('.'));
  refuse(entries.flatMap(entry => folderFaults(folder, entry)));
  const folders = entries.filter(entry => entry.isDirectory());
  return folders.map(({name}) => name).sort();
}

function entriesIn(root: string, folder: string): Dirent[] {
  try {
    const home = realPathInside(root, SOURCES);
    if (home === undefined) throw new InputError({code: 'FZ210', file: SOURCES, rule: LEADS_OUT});
    if (!realpathSync.native(join(root, folder)).startsWith(home + sep))
      throw new InputError({code: 'FZ210', file: folder, rule: 'is a link that leads out of data/sources'});
    return readdirSync(join(root, folder), {withFileTypes: true});
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  }
}

/** Other files, such as a README, are allowed. Links are refused, because they could add or hide a freeze unnoticed. */
function folderFaults(folder: string, entry: Dirent): Fault[] {
  const file = `${folder}/${entry.name}`;
  if (entry.isSymbolicLink()) return [{code: 'FZ210', file, rule: 'is a link, and must be a folder'}];
  if (!entry.isDirectory() || isTimestamp(`${entry.name}T00:00:00.000Z`)) return [];
  return [{code: 'FZ111', file, rule: 'is not a date that exists, YYYY-MM-DD, as the folder of a freeze must be'}];
}

/** Errors of paths that are not a file inside the freeze, links followed. */
export function pathFaults(folder: string, path: string | readonly string[], fault: FaultAt): Fault[] {
  return [path].flat().flatMap((one, index) => {
    const rule = pathRule(folder, one);
    return rule === undefined ? [] : fault(typeof path === 'string' ? 'path' : `path[${index}]`, one, rule);
  });
}

function pathRule(folder: string, path: string): string | undefined {
  try {
    const target = realPathInside(folder, path);
    if (target === undefined) return 'leads out of the freeze';
    return statSync(target).isFile() ? undefined : 'is not a file';
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    return ['ENOENT', 'ENOTDIR'].includes(code) ? 'does not exist' : `cannot be read (${code})`;
  }
}
