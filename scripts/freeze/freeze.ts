import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {refuse} from '../../shared/fault.ts';
import {validateDataPackage, type DataPackage} from '../../build/read/data-package.ts';
import {freezesOf, hoursBetween, type Freeze} from '../../build/read/freezes.ts';
import {newSourceFaults} from '../../build/read/listing.ts';
import {located, readJsonFile} from '../../build/read/json-file.ts';
import {descriptorOf, encodeDescriptor} from './descriptor.ts';
import {onDisk} from './disk.ts';
import {ignoredByGit} from './git-ignored.ts';
import type {Order} from './order.ts';
import type {Progress} from './progress.ts';
import {readList, type ReadList} from './read-list.ts';
import {checkFree, removeStale, Staging} from './staging.ts';
import {takeList, type TakenList} from './take-list.ts';

/** A freeze that was made, or would be. */
export interface Frozen extends ReadList {
  /** Its folder, below the root. */
  readonly folder: string;
  readonly list: TakenList;
  readonly descriptor: DataPackage;
  /** The freeze before it, which it is compared with. */
  readonly last: Freeze | undefined;
  readonly age_hours: number;
  /** Its files that git ignores, below the root. */
  readonly ignored: readonly string[];
}

/**
 * Makes a freeze: copies the list, infers or checks its schema, compares it with the last freeze, and puts it in its place in one
 * step. Throws `InputError` with everything that is wrong; then nothing was made.
 */
export async function freeze(order: Order, progress: Progress): Promise<Frozen> {
  const {root, source, date} = order;
  const folder = `data/sources/${source}/${date}`;
  refuse(newSourceFaults(root, source));
  await checkFree(root, folder);
  const last = before(order.as_of, await located(root, () => freezesOf(root, source)));
  await removeStale(root);
  await using staging = await Staging.open(root, source);
  const list = await takeList(order.files, staging, progress, order.limits);
  const read = await readList(order, list, last, staging, progress);
  const created = order.created ?? createdOf(order, list);
  const earlier = last && readJsonFile(root, last.descriptor, validateDataPackage, 'descriptor');
  const descriptor = descriptorOf(order, list, {...read, created}, earlier);
  const file = `${staging.freeze}/datapackage.json`;
  await onDisk(`${folder}/datapackage.json`, 'written', () =>
    writeFile(join(root, file), encodeDescriptor(descriptor)),
  );
  if (!order.dryRun) await staging.publish(date);
  const ignored = await ignoredByGit(root, [
    ...list.files.map(({name}) => `${folder}/${name}`),
    `${folder}/datapackage.json`,
  ]);
  return {...read, folder, list, descriptor, last, age_hours: hoursBetween(created, order.as_of), ignored};
}

/** The freeze before a moment; the first one where all are later. */
function before(moment: string, freezes: readonly Freeze[]): Freeze | undefined {
  return freezes.findLast(({as_of}) => as_of < moment) ?? freezes[0];
}

/** The newest modification of the files: the list was made then, or, where somebody touched it later, no later than `as_of`. */
function createdOf({as_of}: Order, {files}: TakenList): string {
  const [newest = as_of] = files
    .map(({modified}) => modified.toISOString())
    .sort()
    .reverse();
  return newest < as_of ? newest : as_of;
}
