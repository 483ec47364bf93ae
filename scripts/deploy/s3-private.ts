import {InputError} from '../../shared/fault.ts';
import {attempt, type Aws} from './aws.ts';

const SWITCHES = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'] as const;

/**
 * Refuses a bucket that may be public. The bucket of the template blocks all public access. If a service does not report this, the
 * publisher must confirm it.
 */
export async function refusePublicBucket({s3}: Aws, bucket: string, vouched: boolean): Promise<string[]> {
  const codes = ['NoSuchPublicAccessBlockConfiguration', 'NotImplemented', 'MethodNotAllowed', 'AccessDenied'] as const;
  const said = await attempt('s3 GetPublicAccessBlock', s3.getPublicAccessBlock({Bucket: bucket}), codes);
  if ('answer' in said) {
    const {PublicAccessBlockConfiguration: block = {}} = said.answer;
    const open = SWITCHES.filter(name => block[name] !== true);
    if (open.length === 0) return [];
    throw publicBucket(bucket, `${open.join(', ')} ${open.length > 1 ? 'are' : 'is'} off`);
  }
  if (said.code === 'NoSuchPublicAccessBlockConfiguration') throw publicBucket(bucket, 'nothing blocks public access');
  if (vouched) return [`${bucket} does not report whether it is private (${said.code}); --private-bucket confirms it`];
  const rule = `does not report whether it is private (${said.code})`;
  throw new InputError({code: 'FZ410', subject: bucket, rule});
}

function publicBucket(bucket: string, why: string): InputError {
  const rule = `may be public (${why}), and paid documents would be free`;
  const fix = 'Use the bucket of paywall/rules/aws.template.json, or block all public access of this one.';
  return new InputError({code: 'FZ410', subject: bucket, rule, fix});
}
