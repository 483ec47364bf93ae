import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {pendingChanges} from '../../build/build.ts';
import {isUpToDate} from '../../build/write/changes.ts';
import {counted} from '../../shared/counted.ts';
import {describeFault, InputError} from '../../shared/fault.ts';
import {memoryHome} from '../build/memory-home.ts';
import {listed, own, say, type Words} from './words.ts';

/** How many files are named. */
const NAMED = 3;

/** Returns a message if the files on disk differ from a build of `data/`. Undefined if they do not, or without `data/`. */
export async function staleness(root: string): Promise<Words | undefined> {
  if (!existsSync(join(root, 'data'))) return undefined;
  try {
    const changes = await pendingChanges({root, home: await memoryHome({isRead: true})});
    if (isUpToDate(changes)) return undefined;
    const {added, changed, removed} = changes;
    const paths = [...changed, ...added, ...removed];
    return say`the build is stale: data/ was not built since it changed, and a build would change ${own(counted(paths.length, 'file'))} (${listed(paths, NAMED)}): run frozen build, then review again`;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [fault] = error.faults;
    return say`the build is stale: data/ cannot be built (${fault && describeFault(fault)}): run frozen build, mend what it names, then review again`;
  }
}
