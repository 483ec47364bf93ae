import {randomUUID} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import pMap from 'p-map';
import {counted} from '../../shared/counted.ts';
import {InputError} from '../../shared/fault.ts';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {paths} from '../../shared/paths.ts';
import {answerOf, CONCURRENCY, type Aws, attempt} from './aws.ts';
import {deployables, formerPaths, isReserved, refuseOtherSite, unlistedNote, type Deployable} from './files.ts';
import type {Deployment, Plan} from './plan.ts';
import {refuseUngatedDistribution} from './web-acl.ts';
import {paginateListObjectsV2} from '@aws-sdk/client-s3';

/** The destination in AWS. */
export interface Bucket {
  readonly bucket: string;
  /** The CloudFront distribution in which changed paths are invalidated. */
  readonly distribution?: string | undefined;
  /** True if the publisher confirms that the bucket is private. */
  readonly isConfirmedPrivate: boolean;
  /** The `base_url` of another site that this one replaces. */
  readonly replaces?: string | undefined;
}

const PATHS_A_CALL = 1000;

/** Deploys to S3 behind CloudFront and AWS WAF. Refuses a bucket that may be public. */
export async function toS3(aws: Aws, root: string, site: OpenSite, to: Bucket): Promise<Deployment> {
  const {bucket, distribution} = to;
  const notes = [
    ...(await refusePublicBucket(aws, bucket, to.isConfirmedPrivate)),
    ...(distribution === undefined ? [] : await refuseUngatedDistribution(aws, root, distribution, bucket)),
  ];
  const files = await deployables(root, site);
  const stored = await listBucket(aws, bucket);
  const wasDeployed = stored.has(keyOf(paths.catalogue));
  const former = wasDeployed ? await readObject(aws, bucket, keyOf(paths.catalogue)) : '';
  refuseOtherSite(former, site.catalogue.base_url, `s3://${bucket}`, to.replaces);
  const changed = new Set(await outdated(aws, bucket, files, stored));
  const kept = new Set(files.map(({path}) => path));
  const there = [...stored.keys()].map(key => `/${key}`);
  const deletes = formerPaths(former, there).filter(path => !kept.has(path));
  const uploads = [...changed].map(
    file => ({change: stored.has(keyOf(file.path)) ? 'changed' : 'added', file}) as const,
  );
  const overwritten = uploads.filter(({change, file}) => change === 'changed' && !file.paid);
  const replaced = [...overwritten.map(({file}) => file.path), ...deletes];
  if (distribution === undefined && replaced.length > 0)
    notes.push('caches serve the old documents for up to 5 minutes: use --distribution to invalidate them');
  const home = replaced.includes('/index.html') ? ['/'] : [];
  const plan = {
    to: `s3://${bucket}`,
    uploads,
    deletes,
    invalidations: distribution === undefined ? [] : [...replaced, ...home],
    unchanged: files.filter(file => !changed.has(file)).map(({path}) => path),
    leftOut: [],
    notes: [...notes, ...(await unlistedNote(root, files, 'left out'))],
  };
  return {plan, wasDeployed, carryOut: report => carryOut(aws, to, plan, report)};
}

async function readObject({s3}: Aws, bucket: string, key: string): Promise<string> {
  const read = async () => (await s3.getObject({Bucket: bucket, Key: key})).Body?.transformToString();
  return (await answerOf(`s3 GetObject ${key}`, read())) ?? '';
}

async function carryOut(
  aws: Aws,
  {bucket, distribution}: Bucket,
  {uploads, deletes, invalidations}: Plan,
  report: (step: string) => void,
): Promise<void> {
  const put = async (file: Deployable) => {
    await upload(aws, bucket, file);
    report(`uploaded ${file.path}`);
  };
  const remove = async (path: string) => {
    await answerOf(`s3 DeleteObject ${keyOf(path)}`, aws.s3.deleteObject({Bucket: bucket, Key: keyOf(path)}));
    report(`deleted ${path}`);
  };
  const changed = uploads.map(({file}) => file);
  // Uploaded last and one after the other, to keep the time short in which they do not match.
  const isLast = ({path}: Deployable) => path === paths.catalogue || path === paths.signature;
  const some = {concurrency: CONCURRENCY};
  // If one upload fails, no further one starts.
  await pMap(
    changed.filter(file => !isLast(file)),
    put,
    some,
  );
  // Only the former catalogue names these, so a deployment that is interrupted here must find it when it is repeated.
  await pMap(
    deletes.filter(path => !isReserved(path)),
    remove,
    some,
  );
  await pMap(changed.filter(isLast), put, {concurrency: 1});
  await pMap(deletes.filter(isReserved), remove, some);
  for (let at = 0; distribution !== undefined && at < invalidations.length; at += PATHS_A_CALL) {
    const paths = invalidations.slice(at, at + PATHS_A_CALL);
    const batch = {CallerReference: randomUUID(), Paths: {Quantity: paths.length, Items: paths}};
    const asked = aws.cloudfront.createInvalidation({DistributionId: distribution, InvalidationBatch: batch});
    await answerOf('cloudfront CreateInvalidation', asked);
    report(`invalidated ${counted(paths.length, 'path')}`);
  }
}

/** Uploads one file. The MD5 makes the service refuse bytes that changed since the check. */
async function upload({s3}: Aws, bucket: string, file: Deployable): Promise<void> {
  const body = await readFile(file.file).catch(() => undefined);
  if (!body) throw new InputError({code: 'FZ402', file: `public${file.path}`, rule: 'cannot be read any more'});
  const put = s3.putObject({
    Bucket: bucket,
    Key: keyOf(file.path),
    Body: body,
    ContentType: file.type,
    CacheControl: file.cacheControl,
    ContentMD5: Buffer.from(file.md5, 'hex').toString('base64'),
    Metadata: {sha256: file.sha256},
  });
  await answerOf(`s3 PutObject ${keyOf(file.path)}`, put);
}

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
async function outdated(
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

function keyOf(path: string): string {
  return path.slice(1);
}

const SWITCHES = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'] as const;

/**
 * Refuses a bucket that may be public. The bucket of the template blocks all public access. If a service does not report this, the
 * publisher must confirm it.
 */
async function refusePublicBucket({s3}: Aws, bucket: string, isConfirmedPrivate: boolean): Promise<string[]> {
  const codes = ['NoSuchPublicAccessBlockConfiguration', 'NotImplemented', 'MethodNotAllowed', 'AccessDenied'] as const;
  const said = await attempt('s3 GetPublicAccessBlock', s3.getPublicAccessBlock({Bucket: bucket}), codes);
  if ('answer' in said) {
    const {PublicAccessBlockConfiguration: block = {}} = said.answer;
    const open = SWITCHES.filter(name => block[name] !== true);
    if (open.length === 0) return [];
    throw publicBucket(bucket, `${open.join(', ')} ${open.length > 1 ? 'are' : 'is'} off`);
  }
  if (said.code === 'NoSuchPublicAccessBlockConfiguration') throw publicBucket(bucket, 'nothing blocks public access');
  if (isConfirmedPrivate)
    return [`${bucket} does not report whether it is private (${said.code}); --private-bucket confirms it`];
  const rule = `does not report whether it is private (${said.code})`;
  throw new InputError({code: 'FZ410', subject: bucket, rule});
}

function publicBucket(bucket: string, why: string): InputError {
  const rule = `may be public (${why}), and paid documents would be free`;
  const fix = 'Use the bucket of paywall/rules/aws.template.json, or block all public access of this one.';
  return new InputError({code: 'FZ410', subject: bucket, rule, fix});
}
