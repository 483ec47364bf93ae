import {createHash} from 'node:crypto';
import type {Aws} from './aws.ts';
import type {Deployable} from './files.ts';

/** An object as the bucket lists it. */
export interface Stored {
  readonly key: string;
  readonly etag: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

interface Head {
  readonly ContentType?: string;
  readonly CacheControl?: string;
  readonly Metadata?: Readonly<Record<string, string>>;
}

/** Every object of a bucket by its key. */
export async function listBucket(aws: Aws, bucket: string): Promise<Map<string, Stored>> {
  const answer = (await aws.call('s3api', 'list-objects-v2', ['--bucket', bucket])) as {
    Contents?: readonly {Key: string; ETag: string; Size: number; LastModified: string}[];
  };
  const stored = (answer.Contents ?? []).map(({Key, ETag, Size, LastModified}) => ({
    key: Key,
    etag: ETag.replaceAll('"', ''),
    bytes: Size,
    modified: Date.parse(LastModified),
  }));
  return new Map(stored.map(one => [one.key, one]));
}

/**
 * Files that a bucket does not hold as they must be served. Bytes are compared by size and MD5 of the listing. A content type stands
 * in no listing, and asking for it takes a call an object; so the catalogue, always uploaded last, carries a digest of all types and
 * cache headers, and an object older than a catalogue with that digest is not asked about.
 */
export async function outdated(
  aws: Aws,
  bucket: string,
  files: readonly Deployable[],
  stored: ReadonlyMap<string, Stored>,
): Promise<Deployable[]> {
  const settings = settingsOf(files);
  const catalogue = files.at(-1);
  const last = catalogue && stored.get(keyOf(catalogue));
  const head = last ? await headOf(aws, bucket, last.key) : undefined;
  const settled = head?.Metadata?.['settings'] === settings ? (last?.modified ?? 0) : 0;
  const states = await inTurns(files, async file => {
    const there = stored.get(keyOf(file));
    if (there?.bytes !== file.bytes) return true;
    if (there.etag === file.md5 && there.modified < settled && file !== catalogue) return false;
    const found = file === catalogue ? head : await headOf(aws, bucket, there.key);
    return !found || !isAsServed(file, found) || (file === catalogue && settled === 0);
  });
  return files.filter((_file, at) => states[at]);
}

/** What goes with an object when it is uploaded. */
export function metadataOf(file: Deployable, files: readonly Deployable[]): string {
  const settings = file === files.at(-1) ? `,settings=${settingsOf(files)}` : '';
  return `sha256=${file.sha256}${settings}`;
}

/** The key of a file: its path without the slash in front. */
export function keyOf({path}: Pick<Deployable, 'path'>): string {
  return path.slice(1);
}

/** Maps items, four at a time: a call to AWS is a process that takes a second of thinking. */
export async function inTurns<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await map(next[1]);
  };
  await Promise.all([work(), work(), work(), work()]);
  return results;
}

function settingsOf(files: readonly Deployable[]): string {
  const settings = files.map(({path, type, cacheControl}) => [path, type, cacheControl]);
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

function isAsServed(file: Deployable, {ContentType, CacheControl, Metadata}: Head): boolean {
  return Metadata?.['sha256'] === file.sha256 && ContentType === file.type && CacheControl === file.cacheControl;
}

async function headOf(aws: Aws, bucket: string, key: string): Promise<Head> {
  return (await aws.call('s3api', 'head-object', ['--bucket', bucket, '--key', key])) as Head;
}
