import {unitsOf} from './capacity.ts';
import type {Statement} from './statement.ts';

/** What AWS WAF does with a request that a rule matches; both end the evaluation. */
export type Action =
  {readonly Monetize: {readonly PriceMultiplier: string}} | {readonly Block: {readonly CustomResponse: CustomResponse}};

export interface CustomResponse {
  readonly ResponseCode: number;
  readonly CustomResponseBodyKey: string;
  readonly ResponseHeaders?: readonly {readonly Name: string; readonly Value: string}[];
}

/** A rule before it has its place in the web ACL. */
export interface WafRule {
  readonly name: string;
  readonly action: Action;
  readonly statement: Statement;
}

/** The rules in CloudFormation's spelling, evaluated in the order given. */
export function numbered(rules: readonly WafRule[]): object[] {
  return rules.map(({name, action, statement}, index) => ({
    Name: name,
    Priority: index,
    Action: action,
    Statement: statement,
    VisibilityConfig: visibility(name),
  }));
}

/** Requests are counted and sampled under the rule's name, so that a publisher sees what was asked for. */
export function visibility(name: string): object {
  return {CloudWatchMetricsEnabled: true, MetricName: name, SampledRequestsEnabled: true};
}

/** Capacity units of all rules together. */
export function unitsOfRules(rules: readonly WafRule[]): number {
  return rules.reduce((total, {statement}) => total + unitsOf(statement), 0);
}
