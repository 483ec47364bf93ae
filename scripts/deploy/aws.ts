import {CloudFront} from '@aws-sdk/client-cloudfront';
import {S3} from '@aws-sdk/client-s3';
import {WAFV2} from '@aws-sdk/client-wafv2';
import {InputError} from '../../shared/fault.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** How many requests to a service are under way at most. */
export const CONCURRENCY = 16;

/** CloudFront, and whatever belongs to it, is there alone. */
const GLOBAL = 'us-east-1';

/** The services of AWS, for the account and region that the environment or the AWS command line's own files say. */
export interface Aws {
  readonly s3: S3;
  readonly cloudfront: CloudFront;
  readonly waf: WAFV2;
}

/** Asks nothing yet. @param endpoint of the address of another service with the API of S3 */
export function awsAt(endpoint: string | undefined): Aws {
  // The library warns on standard error of what its versions of another year will need.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const {AWS_REGION, AWS_DEFAULT_REGION, AWS_SESSION_TOKEN: sessionToken} = process.env;
  const {AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey} = process.env;
  // Another service is asked for a region, too, and mostly knows none.
  const ofProfile = () => new S3({}).config.region().catch(() => GLOBAL);
  const region = [AWS_REGION, AWS_DEFAULT_REGION, endpoint && ofProfile].find(Boolean);
  const common = {
    requestHandler: {connectionTimeout: 10_000, socketTimeout: 60_000, httpsAgent: {maxSockets: CONCURRENCY}},
    ...(endpoint && {endpoint}),
    // The command line takes them before those of a profile, too.
    ...(accessKeyId &&
      secretAccessKey && {credentials: {accessKeyId, secretAccessKey, ...(sessionToken && {sessionToken})}}),
  };
  const s3 = new S3({
    ...common,
    ...(region && {region}),
    followRegionRedirects: true,
    forcePathStyle: endpoint !== undefined,
    // What is uploaded has an MD5, which every such service knows.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const global = {...common, region: GLOBAL};
  return {s3, cloudfront: new CloudFront(global), waf: new WAFV2(global)};
}

/** What a call answers. Throws `InputError` with AWS's own words where it refuses, or cannot be asked. */
export async function answerOf<T>(call: string, asked: Promise<T>): Promise<T> {
  return asked.catch((cause: unknown) => {
    throw refused(call, cause as AwsError);
  });
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
    const found = codeOf(cause as AwsError);
    const code = codes.find(one => one === found);
    if (code !== undefined) return {code};
    throw refused(call, cause as AwsError);
  }
}

/** Its name is the code of AWS's answer, where that tells one. */
type AwsError = NodeJS.ErrnoException & {readonly $metadata?: {readonly httpStatusCode?: number}};

const CODES: Readonly<Record<number, string>> = {403: 'AccessDenied', 405: 'MethodNotAllowed', 501: 'NotImplemented'};

function refused(call: string, cause: AwsError): InputError {
  const words = isWordless(cause) ? 'is refused without a word' : oneLine(cause.message) || 'failed';
  const code = codeOf(cause);
  const isSaid = code === 'Error' || words.includes(code);
  return new InputError({file: call, rule: isSaid ? words : `${words} (${code})`}, {cause});
}

function oneLine(message: string): string {
  const words = withShownAddresses(message.replaceAll(/\s+/g, ' ').trim());
  return words.replace(
    /^Region (is missing|not accepted: region="").*/,
    'no region is known: set AWS_REGION, or one in the profile',
  );
}

/** The code of an error; of an answer without one, what its status means. */
function codeOf(cause: AwsError): string {
  const status = cause.$metadata?.httpStatusCode;
  if (isWordless(cause) && status !== undefined) return CODES[status] ?? `HTTP ${status}`;
  return cause.code ?? cause.name;
}

/** Whether an answer had nothing in it that AWS would say: the library then tells a placeholder of its own. */
function isWordless({name, message}: AwsError): boolean {
  return name.startsWith('Unknown') || message.includes('{error}.$response');
}
