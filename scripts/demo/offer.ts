import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {RULES_FILE as file} from '../../shared/paths.ts';
import {buildCommand} from '../../shared/command-line.ts';
import {rulesSchema, type Rule, type Rules} from '../../shared/shapes.ts';
import {network} from '../local-chain/chain.ts';

/** What the demo buys: one rule of a site. */
export interface Offer {
  readonly site: string;
  readonly rule: Rule;
}

/**
 * The product to buy from the site below `root`: the named one, or the first. Throws `InputError` where nothing has
 * been built, no product has the name, or the site is not paid on the one network the demo has a chain for.
 */
export async function offerBelow(root: string, name?: string): Promise<Offer> {
  const {title, payment, rules} = await readRules(root);
  const networks = payment.accepts.map(accepted => accepted.network);
  if (!networks.includes(network)) {
    const rule = `is all this site is paid on, and the demo only speaks to rules for ${network}`;
    throw new InputError({file, field: 'payment.accepts', value: networks, rule});
  }
  const rule = name === undefined ? rules[0] : rules.find(each => each.name === name);
  if (rule) return {site: title, rule};
  const names = new Set(rules.map(each => each.name));
  throw new InputError(
    name === undefined
      ? {file, field: 'rules', rule: 'are empty: nothing is for sale'}
      : {file, field: '--product', value: name, rule: `is not one of ${[...names].join(', ')}`},
  );
}

/** `rules.json` of the site below `root`; throws `InputError` where there is none that a gate could read. */
export async function readRules(root: string): Promise<Rules> {
  try {
    return rulesSchema.parse(JSON.parse(await readFile(join(root, file), 'utf8')));
  } catch (cause) {
    throw new InputError({file, rule: `cannot be read: run \`${buildCommand(root)}\` first`}, {cause});
  }
}
