import {join} from 'node:path';
import {InputError} from '../../shared/fault.ts';
import {paths, RULES_FILE} from '../../shared/paths.ts';
import {shaped} from '../../shared/shaped.ts';
import {rulesSchema, type Catalogue, type Entry, type RuleEntry, type Rules} from '../../shared/shapes.ts';
import {textIfThere} from './bounded-file.ts';
import {MAX_SITE_BYTES} from './bounds.ts';
import {paidOf, type PaidDocument} from './catalogue.ts';
import {failed, verdict, type Check} from './check.ts';

export const RULES_SUBJECT = 'rules.json';

/** Compares the rules with the catalogue: paid paths, prices and payees. */
export function ruleChecks(text: string, catalogue: Catalogue): Check[] {
  const rules = rulesIn(text);
  if (typeof rules === 'string') return [failed('rules', RULES_SUBJECT, rules)];
  return verdict('rules', RULES_SUBJECT, disagreements(rules, catalogue), 'paths, prices and payees agree');
}

/** Reads the built rules of a site. Throws `InputError` if they are missing or invalid. */
export async function readRules(root: string): Promise<Rules> {
  const text = await textIfThere(join(root, RULES_FILE), MAX_SITE_BYTES);
  const rules = text === undefined ? 'does not exist' : rulesIn(text);
  if (typeof rules === 'string') throw new InputError({code: 'FZ404', file: RULES_FILE, rule: rules});
  return rules;
}

function rulesIn(text: string): Rules | string {
  try {
    const read = shaped(rulesSchema, JSON.parse(text));
    if ('value' in read) return read.value;
    const [{path, rule}] = read.misfits;
    return `${path.join('.')} ${rule}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'is not JSON';
  }
}

function disagreements(rules: Rules, {base_url, payment, signing, products}: Catalogue): string[] {
  const sold = new Map(rules.rules.map(rule => [rule.path, rule]));
  const known = new Set(products.flatMap(paidOf).map(({path}) => path));
  return [
    ...(rules.base_url === base_url ? [] : [`base_url is ${rules.base_url}, but ${base_url} in the catalogue`]),
    ...(JSON.stringify(rules.payment.accepts) === JSON.stringify(payment.accepts)
      ? []
      : ['the payees differ from the catalogue']),
    ...(JSON.stringify(rules.signing) === JSON.stringify(signing) ? [] : ['signing differs from the catalogue']),
    ...rules.rules.filter(({path}) => !known.has(path)).map(({path}) => `sells ${path}, which is not in the catalogue`),
    ...products.flatMap(entry => paidOf(entry).flatMap(document => ruleFaults(entry, document, sold))),
  ];
}

function ruleFaults(
  {name, title, price, pass}: Entry,
  {path, type, edition}: PaidDocument,
  sold: ReadonlyMap<string, RuleEntry>,
): string[] {
  const what = edition ? path : name;
  const rule = sold.get(path);
  if (!rule) return [`no rule sells ${what}`];
  const expected = {
    name,
    ...(!edition && {title}),
    price,
    sample: paths.sample(name),
    schema: paths.paidSchema(name),
    type,
  };
  const later = `${what} is sold for the next ${rule.pass?.next ?? 0} snapshots, not ${pass?.next ?? 0}`;
  const faults = Object.entries(expected)
    .filter(([member, value]) => rule[member as keyof typeof expected] !== value)
    .map(([member, value]) => `${member} of ${what} is ${rule[member as keyof typeof expected]}, not ${value}`);
  return [...faults, ...(rule.pass?.next === pass?.next ? [] : [later])];
}
