import {statementsIn, type Match, type Template, type WafRule, type WebAcl} from './template.ts';

const AMOUNT = /^([1-9][0-9]*(\.[0-9]{1,3})?|0\.([1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9]))$/;
const TEST_CHAINS = ['BASE_SEPOLIA'];

/** Returns the violations of AWS's rules that the offline validator does not check, one line each. */
export function findingsIn({Resources: {WebAcl, Distribution}}: Template): string[] {
  const acl = WebAcl.Properties;
  return [
    ...(acl.Scope === 'CLOUDFRONT' ? [] : [`Scope is ${acl.Scope}`]),
    ...twice(
      'Name',
      acl.Rules.map(({Name}) => Name),
    ),
    ...twice(
      'Priority',
      acl.Rules.map(({Priority}) => Priority),
    ),
    ...acl.Rules.flatMap(rule =>
      [...ruleFindings(rule, acl), ...statementFindings(rule)].map(text => `${rule.Name}: ${text}`),
    ),
    ...moneyFindings(acl),
    ...Object.entries(acl.CustomResponseBodies ?? {}).flatMap(([key, {Content}]) =>
      Content.length > 4096 ? [`body ${key} is over 4 KB`] : [],
    ),
    ...Distribution.Properties.DistributionConfig.CustomErrorResponses.flatMap(({ErrorCode, ResponseCode}) =>
      ResponseCode < 400 ? [`error ${ErrorCode} becomes ${ResponseCode}`] : [],
    ),
  ];
}

function ruleFindings({Name, Action = {}, VisibilityConfig}: WafRule, acl: WebAcl): string[] {
  const response = Action.Block?.CustomResponse;
  const bodyKey = response?.CustomResponseBodyKey;
  const multiplier = Action.Monetize?.PriceMultiplier;
  return [
    ...(/^[0-9A-Za-z_-]{1,128}$/.test(Name) ? [] : ['bad name']),
    ...(/^[\w#:./-]{1,255}$/.test(VisibilityConfig.MetricName) ? [] : ['bad metric name']),
    ...(Object.keys(Action).length === 1 ? [] : ['has not exactly one action']),
    ...(Action.Monetize && !acl.MonetizationConfig ? ['monetizes without a configuration'] : []),
    ...(multiplier === undefined || /^([1-9][0-9]?|100)$/.test(multiplier) ? [] : ['bad multiplier']),
    ...(bodyKey === undefined || acl.CustomResponseBodies?.[bodyKey] ? [] : [`no body ${bodyKey}`]),
    ...(response?.ResponseHeaders?.some(({Name}) => Name.toLowerCase() === 'content-type')
      ? ['sets content-type']
      : []),
  ];
}

function statementFindings({Statement}: WafRule): string[] {
  return statementsIn(Statement).flatMap(({ByteMatchStatement, RegexMatchStatement, AndStatement, OrStatement}) => [
    ...(ByteMatchStatement ? searchFindings(ByteMatchStatement.SearchString) : []),
    ...(RegexMatchStatement ? patternFindings(RegexMatchStatement.RegexString) : []),
    ...[ByteMatchStatement, RegexMatchStatement].flatMap(match => (match ? transformationFindings(match) : [])),
    ...[AndStatement, OrStatement].flatMap(group =>
      group && group.Statements.length < 2 ? ['fewer than two statements'] : [],
    ),
  ]);
}

function searchFindings(search = ''): string[] {
  const bytes = Buffer.byteLength(search);
  return bytes >= 1 && bytes <= 200 ? [] : [`search string of ${bytes} bytes`];
}

/**
 * Patterns that the engine refuses according to the guide: captures, look-around, nested repeats, many alternatives,
 * long patterns.
 */
function patternFindings(pattern: string): string[] {
  const branches = pattern.split('|').length;
  return [
    ...(pattern.length >= 1 && pattern.length <= 200 ? [] : [`pattern of ${pattern.length} characters`]),
    ...(/(?<!\\)\((?!\?:)/.test(pattern) ? ['captures or looks around'] : []),
    ...(/[*+][^()]*\)[*+{]/.test(pattern) ? ['repeats a repeat'] : []),
    ...(branches > 20 ? [`${branches} alternatives`] : []),
  ];
}

function transformationFindings({TextTransformations}: Match): string[] {
  const count = TextTransformations.length;
  return [
    ...(count >= 1 && count <= 3 ? [] : [`${count} transformations`]),
    ...twice(
      'transformation',
      TextTransformations.map(({Priority}) => Priority),
    ),
  ];
}

function moneyFindings({MonetizationConfig}: WebAcl): string[] {
  if (MonetizationConfig === undefined) return [];
  const {CurrencyMode, CryptoConfig} = MonetizationConfig;
  const chains = CryptoConfig.PaymentNetworks.map(({Chain}) => Chain);
  const tests = chains.filter(chain => TEST_CHAINS.includes(chain)).length;
  const prices = CryptoConfig.PaymentNetworks.flatMap(({Prices}) => Prices);
  return [
    ...twice('chain', chains),
    ...(chains.length === 1 || chains.length === 2 ? [] : [`${chains.length} networks`]),
    ...(tests === (CurrencyMode === 'TEST' ? chains.length : 0) ? [] : [`${CurrencyMode} on ${chains.join(', ')}`]),
    ...prices.flatMap(({Amount}) => (AMOUNT.test(Amount) && Amount.length <= 13 ? [] : [`bad amount ${Amount}`])),
  ];
}

function twice(what: string, values: readonly (string | number)[]): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at).map(value => `${what} ${value} twice`);
}
