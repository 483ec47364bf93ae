import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import type {Rule, WebACL} from '@aws-sdk/client-wafv2';
import {InputError} from '../../shared/fault.ts';
import {AWS_TEMPLATE} from '../../shared/paths.ts';
import {attempt, type Aws} from './aws.ts';

/** `arn:aws:wafv2:us-east-1:123456789012:global/webacl/NAME/ID`, the form in which a distribution names its web ACL. */
const ARN = /:global\/webacl\/(?<name>[^/]+)\/(?<id>[^/]+)$/;

/**
 * Refuses a distribution whose web ACL is missing or differs from the template, for example because a product or price changed. More rules
 * that only block or count are accepted. Returns notes about what could not be checked.
 */
export async function refuseUngatedDistribution(aws: Aws, root: string, id: string, bucket: string): Promise<string[]> {
  const asked = aws.cloudfront.getDistributionConfig({Id: id});
  const said = await attempt('cloudfront GetDistributionConfig', asked, ['AccessDenied']);
  if ('code' in said) return [`whether ${id} has a web ACL is not known: this account may not read its configuration`];
  const {WebACLId = '', Origins} = said.answer.DistributionConfig ?? {};
  const acl = ARN.exec(WebACLId)?.groups;
  if (!acl) throw ungated(id, 'does not have a web ACL of AWS WAF, so every document is free');
  const live = await webAclOf(aws, acl['name'] ?? '', acl['id'] ?? '');
  if (live === undefined)
    return [`whether the web ACL of ${id} requires payment is not known: this account may not read it`];
  const wanted = await webAclIn(root);
  const isIn = (rules: readonly Rule[] = [], rule: Rule) =>
    rules.some(other => areAlike(effectOf(rule), effectOf(other)));
  const missing = (wanted.Rules ?? []).filter(rule => !isIn(live.Rules, rule));
  if (missing.length > 0) throw ungated(id, `has a web ACL without ${named(missing)}`);
  // Such a rule may precede those of the template, so a paid document could be free or cheaper.
  const extra = (live.Rules ?? []).filter(rule => allowsRequests(rule) && !isIn(wanted.Rules, rule));
  if (extra.length > 0) {
    const what = `has a web ACL that also allows requests by ${named(extra)}`;
    // CloudFormation does not remove a rule that was added by hand.
    throw ungated(id, what, ', and remove the rules that are not in it');
  }
  if (!areAlike(wanted.MonetizationConfig, live.MonetizationConfig))
    throw ungated(id, 'has a web ACL with another base price, wallet or network');
  const unseen = (live.Rules ?? []).filter(
    ({Statement: {RuleGroupReferenceStatement, ManagedRuleGroupStatement} = {}}) =>
      RuleGroupReferenceStatement ?? (ManagedRuleGroupStatement && ManagedRuleGroupStatement.VendorName !== 'AWS'),
  );
  const isOrigin = Origins?.Items?.some(({DomainName}) => DomainName?.startsWith(`${bucket}.s3`));
  return [
    ...(isOrigin ? [] : [`whether ${id} serves ${bucket} is not known: none of its origins has this name`]),
    ...(unseen.length === 0
      ? []
      : [`${named(unseen)} of the web ACL of ${id} may allow requests: the rules in a rule group are not checked`]),
  ];
}

/** True if a rule, or a rule of a group that it changes, may allow a request. Groups of AWS only block and count. */
function allowsRequests({Action, Statement = {}}: Rule): boolean {
  const group = Statement.RuleGroupReferenceStatement ?? Statement.ManagedRuleGroupStatement;
  const changed = (group?.RuleActionOverrides ?? []).map(({ActionToUse}) => ActionToUse);
  return [Action, ...changed].some(action => action?.Allow !== undefined || action?.Monetize !== undefined);
}

function named(rules: readonly Rule[]): string {
  return `the ${rules.length > 1 ? 'rules' : 'rule'} ${rules.map(({Name}) => Name).join(', ')}`;
}

/** Returns a live web ACL, or undefined if the account may not read it. */
async function webAclOf({waf}: Aws, name: string, id: string): Promise<Partial<WebACL> | undefined> {
  const asked = waf.getWebACL({Scope: 'CLOUDFRONT', Name: name, Id: id});
  const said = await attempt('wafv2 GetWebACL', asked, ['AccessDenied', 'AccessDeniedException']);
  return 'code' in said ? undefined : (said.answer.WebACL ?? {});
}

async function webAclIn(root: string): Promise<Partial<WebACL>> {
  const {Resources} = JSON.parse(await readFile(join(root, AWS_TEMPLATE), 'utf8')) as {
    readonly Resources: {readonly WebAcl: {readonly Properties: Partial<WebACL>}};
  };
  return Resources.WebAcl.Properties;
}

function effectOf({Name, Action, Statement}: Rule): object {
  return {Name, Action, Statement};
}

/** True if both contain the same texts: names, paths, prices and wallets, which decide what is paid and to whom. */
function areAlike(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(textsIn(one).sort(), textsIn(other).sort());
}

/** The AWS library returns the path of a match condition as bytes. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [new TextDecoder().decode(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function ungated(id: string, what: string, more = ''): InputError {
  return new InputError({code: 'FZ406', subject: id, rule: what, fix: `Deploy ${AWS_TEMPLATE} first${more}.`});
}
