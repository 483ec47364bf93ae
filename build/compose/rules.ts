import type {Computed} from '../compute/compute.ts';
import type {Site} from '../read/site.ts';
import type {Part} from './in-parts.ts';
import {emptyPaidOf} from '../documents/paid.ts';
import {JSON_TYPE, paths} from '../../shared/paths.ts';

/** Method, path and price of one paid path, and what a buyer is told about it. */
export interface Rule {
  readonly name: string;
  readonly method: 'GET';
  /** Absolute path of the paid document, e.g. `/api/v1/softfail3`. */
  readonly path: string;
  /** `$<decimal>`. */
  readonly price: string;
  readonly title: string;
  readonly description: string;
  /** Content type of the paid document. */
  readonly type: string;
  /** Absolute path of the free sample. */
  readonly sample: string;
  /** Absolute path of the paid document's JSON Schema. */
  readonly schema: string;
}

/** One entry of `rules.json`. */
export interface RuleEntry extends Rule {
  /** A valid paid document that holds no row and no event: what a buyer's program can expect. */
  readonly example: object;
}

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
): object {
  return {title, base_url, payment, rules, hosts};
}
