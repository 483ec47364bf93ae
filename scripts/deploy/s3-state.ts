import {createHash} from 'node:crypto';
import {paginateListObjectsV2, type HeadObjectCommandOutput} from '@aws-sdk/client-s3';
import pMap from 'p-map';
import {answerOf, CONCURRENCY, type Aws} from './aws.ts';
import type {Deployable} from './files.ts';

/** An object as the bucket lists it. */
export interface Stored {
  readonly key: string;
  /** Lower-case hex MD5 for an object that was uploaded in one piece. */
  readonly etag: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

type Head = Pick<HeadObjectCommandOutput, 'ContentType' | 'CacheControl' | 'Metadata'>;

/** Returns all objects of a bucket by key. */
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
 * Returns the files that differ from the objects in a bucket. Bytes are compared by size and MD5 from the listing. Content types and cache
 * headers are not in the listing, and reading them needs one request for each object. So the catalogue, which is always uploaded last, has
 * a digest of all of them in its metadata: objects older than a catalogue with the same digest are not requested.
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

/** Returns the metadata of an object for its upload. */
export function metadataOf(file: Deployable, files: readonly Deployable[]): Record<string, string> {
  const settings = file === files.at(-1) && {settings: settingsOf(files)};
  return {sha256: file.sha256, ...settings};
}

/** Returns the key of a file: its path without the leading slash. */
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
