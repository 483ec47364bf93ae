import {JSON_TYPE, paths} from '../../shared/paths.ts';
import type {Rule, Rules} from '../../shared/shapes.ts';
import type {Site} from '../read/site.ts';
import type {ProductRecord} from './record.ts';

/** The rule of a product: the one place its price comes from, for every host. */
export function ruleOf({name, title, price, difference}: ProductRecord): Rule {
  return {
    name,
    method: 'GET',
    path: paths.paid(name),
    price: price.text,
    title,
    description: `${title}: ${difference}.`,
    type: JSON_TYPE,
    sample: paths.sample(name),
    schema: paths.paidSchema(name),
  };
}

/**
 * `paywall/rules/rules.json`: the one truth on what is paid.
 *
 * @param hosts the rule files of each host, by its name
 */
export function rulesDocument(
  {title, base_url, payment}: Site,
  records: readonly ProductRecord[],
  hosts: Readonly<Record<string, readonly string[]>>,
): Rules {
  const rules = records.map(record => ({...ruleOf(record), example: record.example}));
  return {title, base_url, payment, rules, hosts};
}
