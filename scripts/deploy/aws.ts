import {CloudFront} from '@aws-sdk/client-cloudfront';
import {S3} from '@aws-sdk/client-s3';
import {WAFV2} from '@aws-sdk/client-wafv2';
import {InputError} from '../../shared/fault.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** The maximum number of concurrent requests to a service. */
export const CONCURRENCY = 16;

/** The region of CloudFront and its web ACLs. */
const GLOBAL = 'us-east-1';

export type Aws = ReturnType<typeof awsAt>;

/**
 * Creates clients of AWS for the account and region in the environment or the files of the AWS command line. They connect only when they
 * are called.
 *
 * @param endpoint the address of another service with the API of S3
 */
export function awsAt(endpoint: string | undefined) {
  // The library warns that later versions will need a newer Node.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const {AWS_REGION, AWS_DEFAULT_REGION, AWS_SESSION_TOKEN: sessionToken} = process.env;
  const {AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey} = process.env;
  // Other services require a region too, but rarely check it.
  const ofProfile = () => new S3({}).config.region().catch(() => GLOBAL);
  const region = [AWS_REGION, AWS_DEFAULT_REGION, endpoint && ofProfile].find(Boolean);
  const common = {
    requestHandler: {connectionTimeout: 10_000, socketTimeout: 60_000, httpsAgent: {maxSockets: CONCURRENCY}},
    ...(endpoint && {endpoint}),
    // Like the AWS command line, these take precedence over a profile.
    ...(accessKeyId &&
      secretAccessKey && {credentials: {accessKeyId, secretAccessKey, ...(sessionToken && {sessionToken})}}),
  };
  const s3 = new S3({
    ...common,
    ...(region && {region}),
    followRegionRedirects: true,
    forcePathStyle: endpoint !== undefined,
    // Uploads have an MD5 instead, which every S3 service supports.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const global = {...common, region: GLOBAL};
  return {s3, cloudfront: new CloudFront(global), waf: new WAFV2(global)};
}

/** Creates the clients. Throws `InputError` without a region or credentials, before a request is sent. */
export async function openAws(endpoint: string | undefined): Promise<Aws> {
  const aws = awsAt(endpoint);
  await aws.s3.config.region().catch(missing('The region', 'Set AWS_REGION, or a region in the profile.'));
  await requireCredentials(aws);
  return aws;
}

/** Throws `InputError` without credentials, before a request is sent. */
export async function requireCredentials({s3}: Aws): Promise<void> {
  const fix = 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.';
  await s3.config.credentials().catch(missing('The credentials of AWS', fix));
}

function missing(subject: string, fix: string): (cause: unknown) => never {
  return cause => {
    const rule = `cannot be found (${oneLine((cause as Error).message)})`;
    throw new InputError({code: 'FZ903', subject, rule, fix}, {cause});
  };
}

/** Returns the answer of a call. Throws `InputError` with the message of AWS if the call is refused or fails. */
export async function answerOf<T>(call: string, asked: Promise<T>): Promise<T> {
  return asked.catch((cause: unknown) => {
    throw refused(call, cause as AwsError);
  });
}

/** Returns the answer of a call, or the error code if it is one of `codes`. */
export async function attempt<T, C extends string>(
  call: string,
  asked: Promise<T>,
  codes: readonly C[],
): Promise<{readonly answer: T} | {readonly code: C}> {
  try {
    return {answer: await asked};
  } catch (cause) {
    const found = codeOf(cause as AwsError);
    const code = codes.find(one => one === found);
    if (code !== undefined) return {code};
    throw refused(call, cause as AwsError);
  }
}

/** `name` is the error code of AWS, if its answer has one. */
type AwsError = NodeJS.ErrnoException & {readonly $metadata?: {readonly httpStatusCode?: number}};

const CODES: Readonly<Record<number, string>> = {403: 'AccessDenied', 405: 'MethodNotAllowed', 501: 'NotImplemented'};

function refused(call: string, cause: AwsError): InputError {
  const message = oneLine(cause.message);
  const words = isWordless(cause) ? 'is refused without a message' : message ? `failed: ${message}` : 'failed';
  const code = codeOf(cause);
  const isSaid = code === 'Error' || words.includes(code);
  return new InputError({code: 'FZ409', subject: call, rule: isSaid ? words : `${words} (${code})`}, {cause});
}

function oneLine(message: string): string {
  return withShownAddresses(message.replaceAll(/\s+/g, ' ').trim());
}

/** Returns the code of an error. Without a code, it follows from the HTTP status. */
function codeOf(cause: AwsError): string {
  const status = cause.$metadata?.httpStatusCode;
  if (isWordless(cause) && status !== undefined) return CODES[status] ?? `HTTP ${status}`;
  return cause.code ?? cause.name;
}

/** True if the answer had no error message, so that the library made one up. */
function isWordless({name, message}: AwsError): boolean {
  return name.startsWith('Unknown') || message.includes('{error}.$response');
}
