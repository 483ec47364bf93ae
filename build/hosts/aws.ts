import {readFileSync} from 'node:fs';
import {parse} from 'jsonc-parser';
import {cacheControl, AWS_TEMPLATE} from '../../shared/paths.ts';
import {refuse, type Fault} from '../../shared/fault.ts';
import {encode} from '../../shared/encode.ts';
import {INCLUDED_UNITS, MOST_UNITS, webAcl} from './aws/web-acl.ts';
import type {Host, Hosted} from './host.ts';

const template = readFileSync(new URL('aws/template.jsonc', import.meta.url), 'utf8');
const TEMPLATE = JSON.stringify(parse(template, [], {allowTrailingComma: true}));

/** A rule's name has at most 128 characters, including `pay-`. */
const PAID_PATH = /^\/api\/v1\/[a-z0-9][a-z0-9.-]{0,123}$/;

/** The longest template that CloudFormation accepts inline instead of from a bucket, in bytes. */
const MOST_INLINE_BYTES = 51_200;

const NO_PASSES = 'is that of a pass, which AWS WAF cannot sell, because it has no sign-in';

/** S3, CloudFront and AWS WAF: a private bucket whose paid documents can only be read after a payment. */
export default {
  name: 'aws',

  compose(hosted) {
    const {site, rules} = hosted;
    const rule =
      'is not /api/v1/ and a name of 1 to 124 lower-case letters and digits, as the rules of AWS WAF need it';
    const unmatchable = rules.filter(({path}) => !PAID_PATH.test(path));
    const passes = rules.filter(({pass}) => pass);
    const fault = (value: string, rule: string): Fault => {
      return {code: 'FZ403', file: AWS_TEMPLATE, field: 'path', value, rule};
    };
    refuse([...unmatchable.map(({path}) => fault(path, rule)), ...passes.map(({path}) => fault(path, NO_PASSES))]);
    const acl = webAcl(hosted);
    const text = templateOf({
      'waf-rules': acl.rules,
      monetization: acl.monetization,
      'host-name': new URL(site.base_url).hostname,
      'cache-control-paid': cacheControl.paid,
    });
    return {files: new Map([[AWS_TEMPLATE, text]]), notes: deploymentNotes(acl, Buffer.byteLength(text), site)};
  },
} satisfies Host;

function templateOf(filled: Readonly<Record<string, unknown>>): string {
  const fill = (_: string, value: unknown): unknown =>
    typeof value === 'string' && /^\$[a-z-]+$/.test(value) ? filled[value.slice(1)] : value;
  return encode(JSON.parse(TEMPLATE, fill) as object);
}

/** Notes for the publisher before the template is deployed. `bytes` is the size of the template. */
function deploymentNotes(
  {units, mode}: ReturnType<typeof webAcl>,
  bytes: number,
  {base_url}: Hosted['site'],
): string[] {
  const when = (condition: boolean, note: string) => (condition ? [note] : []);
  return [
    units <= INCLUDED_UNITS
      ? `on AWS, the web ACL uses ${units} of ${INCLUDED_UNITS} capacity units`
      : `on AWS, the web ACL uses ${units} of ${MOST_UNITS} capacity units; above ${INCLUDED_UNITS} AWS charges more for it`,
    ...when(mode === 'TEST', 'AWS WAF accepts test money, which is worthless'),
    ...when(
      bytes > MOST_INLINE_BYTES,
      `the template has ${bytes} bytes: above ${MOST_INLINE_BYTES}, deploy it with --s3-bucket`,
    ),
    ...when(!base_url.startsWith('https:'), `CloudFront serves the API over HTTPS only, and base_url is ${base_url}`),
  ];
}
