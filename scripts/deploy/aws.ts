import {CloudFront} from '@aws-sdk/client-cloudfront';
import {S3} from '@aws-sdk/client-s3';
import {WAFV2} from '@aws-sdk/client-wafv2';
import {InputError} from '../../build/fault.ts';

/** How many requests to a service are under way at most. */
export const AT_ONCE = 16;

/** The services of AWS, for the account and region that the environment or the AWS command line's own files say. */
export interface Aws {
  readonly s3: S3;
  readonly cloudfront: CloudFront;
  readonly waf: WAFV2;
}

/** @param endpoint of another service that speaks S3 */
export function awsAt(endpoint: string | undefined): Aws {
  // Which Node it needs is said when it is installed.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const {AWS_REGION, AWS_DEFAULT_REGION} = process.env;
  const region = AWS_REGION ?? AWS_DEFAULT_REGION;
  const common = {
    requestHandler: {connectionTimeout: 10_000, requestTimeout: 60_000, httpsAgent: {maxSockets: AT_ONCE}},
    ...(endpoint !== undefined && {endpoint}),
  };
  const s3 = new S3({
    ...common,
    ...(region !== undefined && {region}),
    forcePathStyle: endpoint !== undefined,
    // What is uploaded has an MD5, which every such service knows.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  // CloudFront, and whatever belongs to it, is there alone.
  const global = {...common, region: 'us-east-1'};
  return {s3, cloudfront: new CloudFront(global), waf: new WAFV2(global)};
}

/** What a call answers. Throws `InputError` with AWS's own words where it refuses, or cannot be asked. */
export async function answerOf<T>(call: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw refused(call, cause as Error);
  }
}

/** What a call answers, or the code of AWS's error where it is one of those. */
export async function attempt<T, C extends string>(
  call: string,
  asked: Promise<T>,
  codes: readonly C[],
): Promise<{readonly answer: T} | {readonly code: C}> {
  try {
    return {answer: await asked};
  } catch (cause) {
    const code = codes.find(one => one === (cause as Error).name);
    if (code !== undefined) return {code};
    throw refused(call, cause as Error);
  }
}

function refused(call: string, cause: Error): InputError {
  const {name, message} = cause;
  const code = (cause as NodeJS.ErrnoException).code ?? name;
  return new InputError({file: call, rule: `${message.replaceAll(/\s+/g, ' ').trim() || 'failed'} (${code})`}, {cause});
}
