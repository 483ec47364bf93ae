import {createHash} from 'node:crypto';
import {paginateListObjectsV2, type HeadObjectCommandOutput} from '@aws-sdk/client-s3';
import pMap from 'p-map';
import {answerOf, CONCURRENCY, type Aws} from './aws.ts';
import type {Deployable} from './files.ts';

/** An object as the bucket lists it. */
export interface Stored {
  readonly key: string;
  /** Of what was uploaded in one piece: lower-case hex MD5. */
  readonly etag: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

type Head = Pick<HeadObjectCommandOutput, 'ContentType' | 'CacheControl' | 'Metadata'>;

/** Every object of a bucket by its key. */
export async function listBucket({s3}: Pick<Aws, 's3'>, bucket: string): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>();
  const list = async () => {
    for await (const {Contents = []} of paginateListObjectsV2({client: s3}, {Bucket: bucket})) {
      for (const {Key: key = '', ETag = '', Size: bytes = 0, LastModified} of Contents)
        stored.set(key, {key, etag: ETag.replaceAll('"', ''), bytes, modified: LastModified?.getTime() ?? 0});
    }
  };
  await answerOf('s3 ListObjectsV2', list());
  return stored;
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
  const last = catalogue && stored.get(keyOf(catalogue.path));
  const head = last ? await headOf(aws, bucket, last.key) : undefined;
  const settled = head?.Metadata?.['settings'] === settings ? (last?.modified ?? 0) : 0;
  const isOutdated = async (file: Deployable) => {
    const there = stored.get(keyOf(file.path));
    if (there?.bytes !== file.bytes) return true;
    if (there.etag === file.md5 && there.modified < settled && file !== catalogue) return false;
    const found = file === catalogue ? head : await headOf(aws, bucket, there.key);
    return !found || !isAsServed(file, found) || (file === catalogue && settled === 0);
  };
  const states = await pMap(files, isOutdated, {concurrency: CONCURRENCY});
  return files.filter((_file, at) => states[at]);
}

/** What goes with an object when it is uploaded. */
export function metadataOf(file: Deployable, files: readonly Deployable[]): Record<string, string> {
  const settings = file === files.at(-1) && {settings: settingsOf(files)};
  return {sha256: file.sha256, ...settings};
}

/** The key of a file: its path without the slash in front. */
export function keyOf(path: string): string {
  return path.slice(1);
}

function settingsOf(files: readonly Deployable[]): string {
  const settings = files.map(({path, type, cacheControl}) => [path, type, cacheControl]);
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

function isAsServed(file: Deployable, {ContentType, CacheControl, Metadata}: Head): boolean {
  return Metadata?.['sha256'] === file.sha256 && ContentType === file.type && CacheControl === file.cacheControl;
}

async function headOf({s3}: Aws, bucket: string, key: string): Promise<Head> {
  return answerOf(`s3 HeadObject ${key}`, s3.headObject({Bucket: bucket, Key: key}));
}
