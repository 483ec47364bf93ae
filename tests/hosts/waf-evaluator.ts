import {statementsIn, type Match, type Statement, type WafRule, type WebAcl} from './template.ts';

export interface WebRequest {
  readonly method: string;
  /** The request target as spelled on the wire. */
  readonly target: string;
}

export type Verdict =
  | {readonly action: 'Allow'}
  | {readonly action: 'Block'; readonly rule: string; readonly status: number}
  | {readonly action: 'Monetize'; readonly rule: string; readonly multiplier: number};

/** Returns the action of AWS WAF for an unpaid request: that of the first matching rule, by ascending priority. */
export function evaluate(acl: WebAcl, request: WebRequest): Verdict {
  const rule = acl.Rules.toSorted((a, b) => a.Priority - b.Priority).find(({Statement}) => holds(Statement, request));
  if (rule === undefined) return acl.DefaultAction.Allow ? {action: 'Allow'} : blocked('default', undefined);
  const {Monetize, Block} = rule.Action ?? {};
  if (Monetize) return {action: 'Monetize', rule: rule.Name, multiplier: Number(Monetize.PriceMultiplier ?? '1')};
  return Block ? blocked(rule.Name, Block.CustomResponse?.ResponseCode) : {action: 'Allow'};
}

const blocked = (rule: string, status = 403): Verdict => ({action: 'Block', rule, status});

/** Returns true if a request matches a statement. Throws for an unknown statement. */
export function holds(statement: Statement, request: WebRequest): boolean {
  const {ByteMatchStatement, RegexMatchStatement, NotStatement, AndStatement, OrStatement} = statement;
  if (ByteMatchStatement) {
    const {SearchString = '', PositionalConstraint} = ByteMatchStatement;
    return compare(inspected(ByteMatchStatement, request), SearchString, PositionalConstraint);
  }
  if (RegexMatchStatement)
    return matchesAsPcre(RegexMatchStatement.RegexString, inspected(RegexMatchStatement, request));
  if (NotStatement) return !holds(NotStatement.Statement, request);
  if (AndStatement) return AndStatement.Statements.every(inner => holds(inner, request));
  if (OrStatement) return OrStatement.Statements.some(inner => holds(inner, request));
  throw new Error(`unknown statement in ${JSON.stringify(statement)}`);
}

function compare(text: string, search: string, constraint: string): boolean {
  if (constraint === 'EXACTLY') return text === search;
  if (constraint === 'STARTS_WITH') return text.startsWith(search);
  if (constraint === 'ENDS_WITH') return text.endsWith(search);
  if (constraint === 'CONTAINS') return text.includes(search);
  throw new Error(`unknown constraint ${constraint}`);
}

/** In PCRE `$` also holds before a final line break. */
function matchesAsPcre(pattern: string, text: string): boolean {
  return new RegExp(pattern.replaceAll('$', '(?=\n?$(?![^]))')).test(text);
}

function inspected({FieldToMatch, TextTransformations}: Match, {method, target}: WebRequest): string {
  const field = FieldToMatch.Method ? method : (target.split('?')[0] ?? '');
  const inOrder = TextTransformations.toSorted((a, b) => a.Priority - b.Priority);
  return inOrder.reduce((text, {Type}) => transform(Type, text), field);
}

function transform(type: string, text: string): string {
  if (type === 'NONE') return text;
  if (type === 'URL_DECODE') return decodeOnce(text);
  if (type === 'NORMALIZE_PATH') return normalizePath(text);
  throw new Error(`unknown transformation ${type}`);
}

/** Decodes every `%XX` byte by byte, and leaves a broken escape unchanged. */
export function decodeOnce(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Removes empty segments, `.`, and `..` with the segment before it. */
export function normalizePath(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(path.startsWith('/') ? 1 : 0);
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  const end = /(?:\/|\/\.{1,2})$/.test(path) && kept.length > 0 ? '/' : '';
  return `${path.startsWith('/') ? '/' : ''}${kept.join('/')}${end}`;
}

/** Returns the capacity units by the tables of the developer guide, independent of the build's calculation. */
export function capacityOf(rules: readonly WafRule[]): number {
  return rules.flatMap(({Statement}) => statementsIn(Statement)).reduce((total, one) => total + ownUnits(one), 0);
}

const UNITS_BY_CONSTRAINT: Record<string, number> = {EXACTLY: 2, STARTS_WITH: 2, ENDS_WITH: 2, CONTAINS: 10};

function ownUnits({ByteMatchStatement, RegexMatchStatement}: Statement): number {
  const match = ByteMatchStatement ?? RegexMatchStatement;
  if (match === undefined) return 0;
  const base = ByteMatchStatement ? UNITS_BY_CONSTRAINT[ByteMatchStatement.PositionalConstraint] : 3;
  if (base === undefined) throw new Error('unknown constraint');
  return base + 10 * match.TextTransformations.filter(({Type}) => Type !== 'NONE').length;
}
