import type {Computed} from '../compute/compute.ts';
import type {Site} from '../read/site.ts';
import type {Part} from './in-parts.ts';
import {emptyPaidOf} from '../documents/paid.ts';
import {JSON_TYPE, paths} from '../../shared/paths.ts';
import type {Rule, RuleEntry, Rules} from '../../shared/rules.ts';

/** The rule of a product: the one place its price comes from, for every host. */
export function ruleOf(computed: Computed): Rule {
  const {name, title, price, difference} = computed.product;
  return {
    name,
    method: 'GET',
    path: paths.paid(name),
    price,
    title,
    description: `${title}: ${difference}.`,
    type: JSON_TYPE,
    sample: paths.sample(name),
    schema: paths.paidSchema(name),
  };
}

export function ruleEntryOf(computed: Computed): RuleEntry {
  return {...ruleOf(computed), example: emptyPaidOf(computed)};
}

/**
 * `paywall/rules/rules.json`: the one truth on what is paid.
 *
 * @param rules a `RuleEntry` each
 * @param hosts the rule files of each host, by its name
 */
export function rulesDocument(
  {title, base_url, payment}: Site,
  rules: readonly Part[],
  hosts: Readonly<Record<string, readonly string[]>>,
): Omit<Rules, 'rules'> & {rules: readonly Part[]} {
  return {title, base_url, payment, rules, hosts};
}
