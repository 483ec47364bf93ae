import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError} from '../../build/fault.ts';
import {attempt, type Aws} from './aws.ts';

const TEMPLATE = 'paywall/rules/aws.template.json';

/** `arn:aws:wafv2:us-east-1:123456789012:global/webacl/NAME/ID`: a distribution names its web ACL so. */
const ARN = /:global\/webacl\/(?<name>[^/]+)\/(?<id>[^/]+)$/;

interface Named {
  readonly Name: string;
}

/**
 * Refuses a distribution whose web ACL is not the template's: without one, with a foreign one, or with one from before a
 * product came. Rules are told by their names. Returns what an account with few rights leaves unknown.
 */
export async function refuseUngatedDistribution(aws: Aws, root: string, id: string): Promise<string[]> {
  const asked = aws.cloudfront.getDistributionConfig({Id: id});
  const said = await attempt('cloudfront GetDistributionConfig', asked, ['AccessDenied']);
  if ('code' in said) return [`whether ${id} has a web ACL is not known: this account may not read its configuration`];
  const acl = ARN.exec(said.answer.DistributionConfig?.WebACLId ?? '')?.groups;
  if (!acl) throw ungated(id, 'has no web ACL of AWS WAF, so it asks nobody for money');
  const live = await rulesOf(aws, acl['name'] ?? '', acl['id'] ?? '');
  if (live === undefined)
    return [`whether the web ACL of ${id} asks for money is not known: this account may not read it`];
  const missing = (await rulesIn(root)).filter(name => !live.includes(name));
  if (missing.length === 0) return [];
  throw ungated(id, `has a web ACL without the ${missing.length > 1 ? 'rules' : 'rule'} ${missing.join(', ')}`);
}

/** The names of the rules of a live web ACL; undefined where the account may not read them. */
async function rulesOf({waf}: Aws, name: string, id: string): Promise<string[] | undefined> {
  const asked = waf.getWebACL({Scope: 'CLOUDFRONT', Name: name, Id: id});
  const said = await attempt('wafv2 GetWebACL', asked, ['AccessDenied', 'AccessDeniedException']);
  return 'code' in said ? undefined : (said.answer.WebACL?.Rules ?? []).map(({Name = ''}) => Name);
}

async function rulesIn(root: string): Promise<string[]> {
  const template = JSON.parse(await readFile(join(root, TEMPLATE), 'utf8')) as Template;
  return template.Resources.WebAcl.Properties.Rules.map(({Name}) => Name);
}

/** As much of the generated template as is read here. */
interface Template {
  readonly Resources: {readonly WebAcl: {readonly Properties: {readonly Rules: readonly Named[]}}};
}

function ungated(id: string, what: string): InputError {
  return new InputError({file: id, rule: `${what}: deploy ${TEMPLATE} first`});
}
