import {spawn} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {S3} from '@aws-sdk/client-s3';
import {fileOfPackage} from '../extra/extra.ts';
import {started} from './gate-process.ts';
import {inFrontOf, type Exchange, type Instead} from './raw-server.ts';

export const BUCKET = 'snapshots';

/** The environment for the server, without the publisher's account. */
export const account = {
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  // No waiting for unavailable services.
  AWS_MAX_ATTEMPTS: '1',
} as const;

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** Requests that write, e.g. `PUT /snapshots/api/v1/index.json`, in order. */
  readonly writes: string[];
  /** A client that is independent of the deployment. */
  readonly s3: S3;
}

/** Parts of AWS that this server lacks: the access settings of the bucket, and CloudFront. */
export interface Cloud {
  readonly publicAccessBlock?: Instead;
  /** The web ACL of the distribution. Empty if it has none. */
  readonly webAcl?: string;
  /** The host of the origin of the distribution. By default the bucket. */
  readonly origin?: string;
  /** That web ACL, in the spelling of CloudFormation. */
  readonly live?: () => object;
  /** The end of paths that cannot be written. */
  readonly readOnly?: string;
}

const ORIGIN = `${BUCKET}.s3.us-east-1.amazonaws.com`;
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/snapshots/0b5a';

/**
 * Starts a real S3 server with an empty bucket, with the responses in front of it that only AWS has. Changes to `cloud`
 * apply to later requests.
 */
export async function s3Server(cloud: Cloud = {}): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  const cli = fileOfPackage('@20minutes/s3rver/lib/cli.js');
  // The package does not contain the file that it names as its command.
  const start = `require(${JSON.stringify(cli)}).parse(process.argv.slice(1), {from: 'user'})`;
  // The server computes another signature than AWS's library, so signatures are not checked here.
  const node = ['--eval', start, '--'];
  const args = [
    ...node,
    '--allow-mismatched-signatures',
    '-d',
    folder,
    '-a',
    '127.0.0.1',
    '-p',
    '0',
    '--configure-bucket',
    BUCKET,
  ];
  const server = await started(spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'pipe']}));
  const writes: string[] = [];
  const front = await inFrontOf(server.url, exchange => {
    const {publicAccessBlock, webAcl = WEB_ACL, origin = ORIGIN, live = () => ({}), readOnly} = cloud;
    if (exchange.target === '/') return webAclOf(live());
    const isWrite = exchange.method !== 'GET' && exchange.method !== 'HEAD';
    if (isWrite) writes.push(`${exchange.method} ${exchange.target.replace(/\?x-id=\w+$/, '')}`);
    if (exchange.target.includes('?publicAccessBlock')) return publicAccessBlock;
    if (isWrite && readOnly !== undefined && exchange.target.includes(readOnly)) return denied;
    return exchange.target.includes('/distribution/') ? cloudFront(exchange, webAcl, origin) : undefined;
  });
  const s3 = new S3({
    endpoint: front.url,
    region: account.AWS_DEFAULT_REGION,
    credentials: {accessKeyId: account.AWS_ACCESS_KEY_ID, secretAccessKey: account.AWS_SECRET_ACCESS_KEY},
    forcePathStyle: true,
    // This server does not support the newer checksums of S3.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  return {
    url: front.url,
    writes,
    s3,
    async [Symbol.asyncDispose]() {
      s3.destroy();
      await front[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, {recursive: true, force: true});
    },
  };
}

const denied: Instead = {
  status: 403,
  headers: {'content-type': 'application/xml'},
  body: '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

function cloudFront({method}: Exchange, webAcl: string, origin: string): Instead {
  const origins = `<Origins><Items><Origin><DomainName>${origin}</DomainName></Origin></Items></Origins>`;
  const body =
    method === 'GET'
      ? `<DistributionConfig>${origins}<WebACLId>${webAcl}</WebACLId></DistributionConfig>`
      : '<Invalidation><Id>I1</Id><Status>InProgress</Status></Invalidation>';
  return {status: method === 'GET' ? 200 : 201, headers: {'content-type': 'text/xml'}, body};
}

/** Answers for AWS WAF, which gets requests at the root, and encodes the compared paths in base64. */
function webAclOf(live: object): Instead {
  const spelled = (member: string, value: unknown) =>
    member === 'SearchString' ? Buffer.from(String(value)).toString('base64') : value;
  const body = JSON.stringify({WebACL: {Name: 'snapshots', Id: '0b5a', ...live}}, spelled);
  return {status: 200, headers: {'content-type': 'application/x-amz-json-1.1'}, body};
}

/** Returns the response to `get-public-access-block` for a bucket with these four settings. */
export function accessBlock(on: boolean): Instead {
  const names = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'];
  const switches = names.map(name => `<${name}>${String(on)}</${name}>`).join('');
  const body = `<PublicAccessBlockConfiguration>${switches}</PublicAccessBlockConfiguration>`;
  return {status: 200, headers: {'content-type': 'application/xml'}, body};
}
