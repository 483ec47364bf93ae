import {paginateListObjectsV2} from '@aws-sdk/client-s3';
import pMap from 'p-map';
import {answerOf, CONCURRENCY, type Aws} from './aws.ts';
import type {Deployable} from './files.ts';

/** Returns the sizes of all objects of a bucket by key. */
export async function listBucket({s3}: Pick<Aws, 's3'>, bucket: string): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  const list = async () => {
    for await (const {Contents = []} of paginateListObjectsV2({client: s3}, {Bucket: bucket}))
      for (const {Key: key = '', Size: bytes = 0} of Contents) stored.set(key, bytes);
  };
  await answerOf('s3 ListObjectsV2', list());
  return stored;
}

/** Returns the files that differ from the objects in a bucket: in size, SHA-256, content type or cache header. */
export async function outdated(
  {s3}: Aws,
  bucket: string,
  files: readonly Deployable[],
  stored: ReadonlyMap<string, number>,
): Promise<Deployable[]> {
  const isOutdated = async ({path, bytes, sha256, type, cacheControl}: Deployable) => {
    const key = keyOf(path);
    if (stored.get(key) !== bytes) return true;
    const asked = s3.headObject({Bucket: bucket, Key: key});
    const {ContentType, CacheControl, Metadata} = await answerOf(`s3 HeadObject ${key}`, asked);
    return Metadata?.['sha256'] !== sha256 || ContentType !== type || CacheControl !== cacheControl;
  };
  const states = await pMap(files, isOutdated, {concurrency: CONCURRENCY});
  return files.filter((_file, at) => states[at]);
}

/** Returns the key of a file: its path without the leading slash. */
export function keyOf(path: string): string {
  return path.slice(1);
}
