import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import type {Rule, WebACL} from '@aws-sdk/client-wafv2';
import {InputError} from '../../shared/fault.ts';
import {AWS_TEMPLATE} from '../../shared/paths.ts';
import {attempt, type Aws} from './aws.ts';

/** `arn:aws:wafv2:us-east-1:123456789012:global/webacl/NAME/ID`: a distribution names its web ACL so. */
const ARN = /:global\/webacl\/(?<name>[^/]+)\/(?<id>[^/]+)$/;

/**
 * Refuses a distribution whose web ACL is not the template's: without one, with a foreign one, or with one from before a
 * product came or a price changed. Returns what an account with few rights leaves unknown.
 */
export async function refuseUngatedDistribution(aws: Aws, root: string, id: string): Promise<string[]> {
  const asked = aws.cloudfront.getDistributionConfig({Id: id});
  const said = await attempt('cloudfront GetDistributionConfig', asked, ['AccessDenied']);
  if ('code' in said) return [`whether ${id} has a web ACL is not known: this account may not read its configuration`];
  const acl = ARN.exec(said.answer.DistributionConfig?.WebACLId ?? '')?.groups;
  if (!acl) throw ungated(id, 'has no web ACL of AWS WAF, so it asks nobody for money');
  const live = await webAclOf(aws, acl['name'] ?? '', acl['id'] ?? '');
  if (live === undefined)
    return [`whether the web ACL of ${id} asks for money is not known: this account may not read it`];
  const wanted = await webAclIn(root);
  const isLive = (rule: Rule) => live.Rules?.some(other => areAlike(effectOf(rule), effectOf(other)));
  const missing = (wanted.Rules ?? []).filter(rule => !isLive(rule)).map(({Name}) => Name);
  if (missing.length > 0)
    throw ungated(id, `has a web ACL without the ${missing.length > 1 ? 'rules' : 'rule'} ${missing.join(', ')}`);
  if (areAlike(wanted.MonetizationConfig, live.MonetizationConfig)) return [];
  throw ungated(id, 'has a web ACL with another base price, wallet or network');
}

/** A live web ACL; undefined where the account may not read it. */
async function webAclOf({waf}: Aws, name: string, id: string): Promise<Partial<WebACL> | undefined> {
  const asked = waf.getWebACL({Scope: 'CLOUDFRONT', Name: name, Id: id});
  const said = await attempt('wafv2 GetWebACL', asked, ['AccessDenied', 'AccessDeniedException']);
  return 'code' in said ? undefined : (said.answer.WebACL ?? {});
}

async function webAclIn(root: string): Promise<Partial<WebACL>> {
  const template = JSON.parse(await readFile(join(root, AWS_TEMPLATE), 'utf8')) as Template;
  return template.Resources.WebAcl.Properties;
}

/** As much of the generated template as is read here. */
interface Template {
  readonly Resources: {readonly WebAcl: {readonly Properties: Partial<WebACL>}};
}

function effectOf({Name, Action, Statement}: Rule): object {
  return {Name, Action, Statement};
}

/** True where both hold the same texts, which are all that decides who pays what: names, paths, prices, wallets. */
function areAlike(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(textsIn(one).sort(), textsIn(other).sort());
}

/** AWS's library gives what a path is compared with as bytes. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [new TextDecoder().decode(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function ungated(id: string, what: string): InputError {
  return new InputError({file: id, rule: `${what}: deploy ${AWS_TEMPLATE} first`});
}
