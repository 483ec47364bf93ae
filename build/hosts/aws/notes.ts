import type {Hosted} from '../host.ts';
import {INCLUDED_UNITS, MOST_UNITS} from './capacity.ts';
import type {WebAcl} from './web-acl.ts';

/** The longest template that CloudFormation takes without a bucket to read it from, in bytes. */
const MOST_INLINE_BYTES = 51_200;

/** What a publisher should know before deploying the template; its size is in bytes. */
export function notesOn({units, mode}: WebAcl, bytes: number, site: Hosted['site']): string[] {
  return [
    units <= INCLUDED_UNITS
      ? `web ACL uses ${units} of ${INCLUDED_UNITS} capacity units`
      : `web ACL uses ${units} of ${MOST_UNITS} capacity units; above ${INCLUDED_UNITS} AWS charges more for it`,
    ...when(mode === 'TEST', 'AWS WAF takes test money, which anybody can have for nothing'),
    ...when(
      bytes > MOST_INLINE_BYTES,
      `the template has ${bytes} bytes: above ${MOST_INLINE_BYTES}, deploy it with --s3-bucket`,
    ),
    ...when(
      !site.base_url.startsWith('https:'),
      `CloudFront serves the API over HTTPS only, and base_url is ${site.base_url}`,
    ),
  ];
}

const when = (condition: boolean, note: string): string[] => (condition ? [note] : []);
