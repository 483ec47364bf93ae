import type {PricedRule} from './pricing.ts';
import type {Action, WafRule} from './rule.ts';
import {any, pathIs, pathMatches} from './statement.ts';

const PARENT = '/api/v1/';

/** Characters of a pattern: the schema allows 512, the quota page 200. */
const MOST_PATTERN_CHARACTERS = 200;

/** AWS WAF refuses "a large number" of alternatives without naming it. */
const MOST_ALTERNATIVES = 20;

const monetize = (multiplier: number): Action => ({Monetize: {PriceMultiplier: String(multiplier)}});

/** One rule a path: the plainest to read and to watch. */
export function onePerPath(priced: readonly PricedRule[]): WafRule[] {
  return priced.map(({rule, multiplier}) => ({
    name: `pay-${rule.name}`,
    action: monetize(multiplier),
    statement: pathIs(rule.path),
  }));
}

/** One rule a price: its paths share regular expressions, which takes far fewer capacity units a path. */
export function onePerPrice(priced: readonly PricedRule[]): WafRule[] {
  const multipliers = new Set(priced.map(({multiplier}) => multiplier));
  return [...multipliers].map(multiplier => {
    const names = priced.filter(one => one.multiplier === multiplier).map(({rule}) => rule.name);
    return {
      name: `pay-x${multiplier}`,
      action: monetize(multiplier),
      statement: any(patternsOf(names).map(pathMatches)),
    };
  });
}

/** Fills patterns with as many names as they take. */
function patternsOf(names: readonly string[]): string[] {
  const groups: string[][] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last !== undefined && fits([...last, name])) last.push(name);
    else groups.push([name]);
  }
  return groups.map(patternOf);
}

function fits(names: readonly string[]): boolean {
  return names.length <= MOST_ALTERNATIVES && patternOf(names).length <= MOST_PATTERN_CHARACTERS;
}

const patternOf = (names: readonly string[]): string => `^${PARENT}(?:${names.join('|')})$`;
