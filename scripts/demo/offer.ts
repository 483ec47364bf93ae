import {readRules} from '../../buyer/verify/rule-checks.ts';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {RULES_FILE as file} from '../../shared/paths.ts';
import type {Rule} from '../../shared/shapes.ts';
import {network} from '../local-chain/chain.ts';

/** The rule that the demo buys. */
export interface Offer {
  readonly site: string;
  readonly rule: Rule;
}

/**
 * Returns the rule to buy: of the named product, or the first. Throws `InputError` if the site is not built, if no product has the name, or
 * if the site does not accept the network of the local chain.
 */
export async function offerBelow(root: string, name?: string): Promise<Offer> {
  const {title, payment, rules} = await readRules(root);
  const networks = payment.accepts.map(accepted => accepted.network);
  if (!networks.includes(network)) {
    const rule = `are the only networks of this site, but the demo needs rules for ${network}`;
    throw new InputError({code: 'FZ507', file, field: 'payment.accepts', value: networks, rule});
  }
  const rule = name === undefined ? rules[0] : rules.find(each => each.name === name);
  if (rule) return {site: title, rule};
  if (name === undefined)
    throw new InputError({code: 'FZ507', file, field: 'rules', rule: 'are empty, so nothing is for sale'});
  const names = [...new Set(rules.map(each => each.name))].join(', ');
  throw wrongUsage({code: 'FZ902', field: '--product', value: name, rule: `is not one of ${names}`});
}
