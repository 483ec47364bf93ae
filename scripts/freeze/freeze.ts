import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {buildCommand} from '../../shared/command-line.ts';
import {encode} from '../../shared/encode.ts';
import {InputError, refuse, wrongUsage} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {SOURCES} from '../../shared/paths.ts';
import {isClose} from '../../shared/source-name.ts';
import {dataPackageValidator} from '../../build/read/data-package.ts';
import {chainFaults, freezesOf, hoursBetween, type Freeze} from '../../build/read/freezes.ts';
import {located, readJsonFile} from '../../build/read/json-file.ts';
import {entryNameFaults, visibleIn} from '../../build/read/listing.ts';
import {isTimestamp} from '../../build/read/validator.ts';
import type {StatusLine} from '../terminal/status-line.ts';
import {withNewHeader} from './csv/new-header.ts';
import {descriptorOf} from './descriptor.ts';
import {withFileErrors} from '../../shared/file-errors.ts';
import type {Order} from './order.ts';
import {withPublishedFaults} from './published-faults.ts';
import {readList} from './read-list.ts';
import {schemaDifferences} from './schema-difference.ts';
import {refuseAdditions} from './schema-of.ts';
import {stage} from './staging.ts';
import {copyList, type CopiedFile, type CopiedList} from './copy-list.ts';
import {findGit} from '../programs/git.ts';

/** The result of a freeze or of a dry run. */
export type Frozen = Awaited<ReturnType<typeof freeze>>;

/**
 * Makes a freeze: copies the list, infers or checks its schema, compares it with the last freeze, and publishes the folder in one step.
 * Throws `InputError` with all errors; nothing is written in that case.
 */
export async function freeze(order: Order, line: StatusLine) {
  const {root, source, as_of} = order;
  checkSourceName(order);
  using staging = stage(order);
  await staging.checkFree();
  const all = () => located(root, () => freezesOf(root, source));
  // Refuses a link that leads out of the site before anything is written.
  await all();
  await staging.make();
  // From here on, the lock prevents other freezes of the source. A freeze to be replaced counts as absent.
  const freezes = (await all()).filter(({date}) => date !== order.date);
  // The build would refuse a broken chain.
  await located(root, () => {
    refuse(chainFaults(freezes.filter(freeze => freeze.as_of < as_of)));
  });
  const last = freezes.findLast(freeze => freeze.as_of < as_of) ?? freezes[0];
  refuseAdditions(order, last);
  const previous = previousFor(as_of, staging.freeze, freezes);
  const copied = await copyList(order, staging, line);
  const list = await withPublishedFaults(copied, staging, () => withNewHeader(order, copied, staging));
  const read = await withPublishedFaults(list, staging, () => readList(order, list, last, freezes, staging, line));
  if (!order.allowShrink) refuseShrink(list, read.rows, last && last.as_of < as_of ? last : undefined);
  const modified = newestOf(list.files);
  // A file may have been touched later, but the list cannot be newer than `as_of`.
  const created = order.created ?? (modified !== undefined && modified < as_of ? modified : as_of);
  const earlier = last && readJsonFile(root, last.descriptor, dataPackageValidator(), 'descriptor');
  const descriptor = descriptorOf(order, list, read, {created, previous}, earlier);
  await withFileErrors(`${staging.freeze}/datapackage.json`, 'written', () =>
    writeFile(join(root, staging.folder, 'datapackage.json'), encode(descriptor)),
  );
  if (!order.dryRun) await staging.publish();
  const kept = ['datapackage.json', ...list.files.map(({name}) => name)].map(name => `${staging.freeze}/${name}`);
  return {
    ...read,
    folder: staging.freeze,
    list,
    /** The newest modification time of the files, if it is known and `--created` is not given. */
    modified: order.created === undefined ? modified : undefined,
    descriptor,
    last,
    age_hours: hoursBetween(created, as_of),
    differences: last && read.schema ? schemaDifferences(last, read.schema) : [],
    /** Its files that git ignores, relative to the root. */
    ignored: await ignoredByGit(root, kept),
    next: nextStep(root, source),
  };
}

/**
 * Throws `InputError` if some file systems do not allow the name of a source or treat it as that of another one, or if a new source has a
 * name similar to that of an existing one, unless `--new-source` is given.
 */
function checkSourceName({root, source, newSource}: Order): void {
  const others = visibleIn(root, SOURCES)
    .filter(name => name !== source)
    .sort();
  const named = entryNameFaults(SOURCES, [...others, source]);
  refuse(named.filter(({file}) => file === `${SOURCES}/${source}`));
  const close = others.filter(name => isClose(name, source));
  if (newSource || close.length === 0 || existsSync(join(root, SOURCES, source))) return;
  const rule = `is new, and close to ${close.join(', ')}`;
  const fix = 'Use the existing name, or add `--new-source` to start another source.';
  throw wrongUsage({code: 'FZ205', field: 'source', value: source, rule, fix});
}

/**
 * Returns the digest of the previous freeze's descriptor, which a new freeze names. Undefined if the new freeze precedes the chain: the
 * first freeze has no `previous`, so older ones may be added before it. Throws `InputError` if the new freeze is between two of the chain.
 *
 * @param folder of the new freeze, relative to the root
 * @param others oldest first
 */
function previousFor(as_of: string, folder: string, others: readonly Freeze[]): string | undefined {
  const next = others.find(other => other.as_of > as_of);
  if (!next) return others.at(-1)?.link.descriptor;
  if (next.link.previous === undefined) return undefined;
  const rule = `would break the chain of ${next.source}: the freeze of ${next.date} names the one before it`;
  const fix = 'If no later freeze is published, remove these, and freeze them again after this one.';
  throw new InputError({code: 'FZ119', file: folder, rule, fix});
}

/** Returns the newest modification time of files, or undefined if that of one is unknown or not in the years 0000 to 9999. */
function newestOf(files: readonly CopiedFile[]): string | undefined {
  const times = files.map(({modified}) => modified?.toJSON() ?? '').filter(isTimestamp);
  return times.length < files.length ? undefined : times.sort().at(-1);
}

/** Returns the files that git ignores, relative to the root. They would not be committed. */
async function ignoredByGit(cwd: string, files: readonly string[]): Promise<string[]> {
  // This fails if nothing is ignored, without a repository, and without git: nothing is ignored in these cases.
  const git = await findGit(cwd).catch(() => undefined);
  const ignored = await git?.ask('-c', 'core.quotePath=false', 'check-ignore', '--', ...files);
  return ignored?.split('\n') ?? [];
}

/** Throws `InputError` if a list is empty or has fewer than half of the rows that the previous freeze declares. */
function refuseShrink({files}: CopiedList, rows: number, previous: Freeze | undefined): void {
  const before = previous?.rows;
  if (rows > 0 && (before === undefined || rows * 2 >= before)) return;
  const compared = previous && before !== undefined ? `, but the freeze of ${previous.date} has ${before}` : '';
  const rule = `has ${rows} ${rows === 1 ? 'row' : 'rows'}${compared}`;
  throw new InputError({code: 'FZ123', subject: files.map(({origin}) => origin).join(', '), rule});
}

/** Returns what the publisher does next: build, and describe a product first if no product file contains the name of the source. */
function nextStep(root: string, source: string): string {
  const folder = join(root, 'data/products');
  const files = ifReadable(() => readdirSync(folder)) ?? [];
  const textOf = (file: string) => ifReadable(() => readFileSync(join(folder, file), 'utf8'));
  const isSold = files.some(file => textOf(file)?.includes(JSON.stringify(source)));
  return isSold
    ? buildCommand(root)
    : `describe a product over this list in data/products/, then run ${buildCommand(root)}`;
}
