import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {sha256} from '../../shared/digest.ts';
import {refuse} from '../../shared/fault.ts';
import {validateDataPackage, type DataPackage} from '../../build/read/data-package.ts';
import {freezesOf, hoursBetween, type Freeze} from '../../build/read/freezes.ts';
import {newSourceFaults} from '../../build/read/listing.ts';
import {located, readJsonFile} from '../../build/read/json-file.ts';
import type {StatusLine} from '../terminal/status-line.ts';
import {brokenBehind, previousFor} from './chain.ts';
import {withNewHeader} from './csv/new-header.ts';
import {descriptorOf} from './descriptor.ts';
import {onDisk} from './disk.ts';
import type {Order} from './order.ts';
import {readList, type ReadList} from './read-list.ts';
import {schemaDifferences, type SchemaDifferences} from './schema-difference.ts';
import {refuseShrink} from './shrink.ts';
import {Staging} from './staging.ts';
import {takeList, type TakenList} from './take-list.ts';
import {findGit} from '../programs/git.ts';

/** A freeze that was made, or would be. */
export interface Frozen extends ReadList {
  /** Its folder, below the root. */
  readonly folder: string;
  readonly list: TakenList;
  /** When the newest of its files was modified, where nobody said when the list was made. */
  readonly modified: string | undefined;
  readonly descriptor: DataPackage;
  /** The freeze before it, which it is compared with. */
  readonly last: Freeze | undefined;
  readonly age_hours: number;
  /** What its schema changes against that of the last freeze, if anything. */
  readonly differences: SchemaDifferences | undefined;
  /** The dates of later freezes that named another one before them, oldest first: each has to be frozen again. */
  readonly broken: readonly string[];
  /** Its files that git ignores, below the root. */
  readonly ignored: readonly string[];
}

/**
 * Makes a freeze: copies the list, infers or checks its schema, compares it with the last freeze, and puts it in its place in one
 * step. Throws `InputError` with everything that is wrong; then nothing was made.
 */
export async function freeze(order: Order, line: StatusLine): Promise<Frozen> {
  const {root, source, as_of} = order;
  refuse(newSourceFaults(root, source));
  using staging = new Staging(order);
  await staging.checkFree();
  const all = () => located(root, () => freezesOf(root, source));
  // Nothing is written below a link that leads out of the site.
  await all();
  await staging.make();
  // From here on nobody else adds a freeze to the source. One that is replaced counts as if it had never been.
  const freezes = (await all()).filter(({date}) => date !== order.date);
  const last = freezes.findLast(freeze => freeze.as_of < as_of) ?? freezes[0];
  const behind = await brokenBehind({root, as_of, folder: staging.freeze}, freezes);
  const list = await withNewHeader(order, await takeList(order, staging, line), staging);
  const read = await readList(order, list, last, freezes, staging, line);
  await refuseShrink(order, list, read.rows, last && last.as_of < as_of ? last : undefined);
  const modified = list.files.reduce((newest, file) => (file.modified > newest ? file.modified : newest), new Date(0));
  // A list that somebody touched later was made no later than `as_of`.
  const created = order.created ?? [modified.toISOString(), as_of].sort()[0] ?? as_of;
  const earlier = last && readJsonFile(root, last.descriptor, validateDataPackage, 'descriptor');
  const descriptor = descriptorOf(order, list, read, {created, previous: previousFor(as_of, freezes)}, earlier);
  const text = `${JSON.stringify(descriptor, null, 2)}\n`;
  await onDisk(`${staging.freeze}/datapackage.json`, 'written', () =>
    writeFile(join(root, staging.folder, 'datapackage.json'), text),
  );
  if (!order.dryRun) await staging.publish();
  const kept = ['datapackage.json', ...list.files.map(({name}) => name)].map(name => `${staging.freeze}/${name}`);
  return {
    ...read,
    folder: staging.freeze,
    list,
    modified: order.created === undefined ? modified.toISOString() : undefined,
    descriptor,
    last,
    age_hours: hoursBetween(created, as_of),
    differences: last && (await schemaDifferences(root, last, {...last, schema: read.schema})),
    broken: behind[0]?.link.previous === sha256(text) ? [] : behind.map(({date}) => date),
    ignored: await ignoredByGit(root, kept),
  };
}

/** The files that git leaves out of commits, below the root: a freeze that is not committed is lost to everybody else. */
async function ignoredByGit(cwd: string, files: readonly string[]): Promise<string[]> {
  // Fails where nothing is ignored, where the root is in no repository, and where there is no git: all is well then.
  const git = await findGit(cwd).catch(() => undefined);
  const ignored = await git?.ask('-c', 'core.quotePath=false', 'check-ignore', '--', ...files);
  return ignored?.split('\n') ?? [];
}
