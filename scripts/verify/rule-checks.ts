import {JSON_TYPE, paths} from '../../shared/paths.ts';
import {payToFault} from '../../paywall/pay-to.ts';
import {rulesSchema, shaped, type Catalogue, type Entry, type RuleEntry, type Rules} from '../../shared/shapes.ts';
import {textIfThere} from './bounded-file.ts';
import {failed, unchecked, verdict, type Check} from './check.ts';
import {MAX_SITE_BYTES} from './bounds.ts';

const SUBJECT = 'rules.json';

/** The rules against the catalogue: what is paid, what it costs, who is paid. */
export async function ruleChecks(file: string, catalogue: Catalogue): Promise<Check[]> {
  const text = await textIfThere(file, MAX_SITE_BYTES);
  const payee = await payeeChecks(catalogue);
  if (text === undefined) return [...payee, unchecked('rules', SUBJECT, 'there are none beside this folder')];
  const rules = rulesIn(text);
  if (typeof rules === 'string') return [...payee, failed('rules', SUBJECT, rules)];
  return [...payee, ...verdict('rules', SUBJECT, disagreements(rules, catalogue), 'paths, prices and payees agree')];
}

/** Whether money paid to the site reaches anybody. */
export async function payeeChecks(catalogue: Catalogue): Promise<Check[]> {
  const fault = await payToFault(catalogue);
  const payees = catalogue.payment.accepts.map(({network, pay_to}) => `${pay_to} on ${network}`).join(', ');
  return verdict('payee', 'catalogue', fault === undefined ? [] : [fault], payees);
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

function disagreements(rules: Rules, {base_url, payment, products}: Catalogue): string[] {
  const sold = new Map(rules.rules.map(rule => [rule.name, rule]));
  const named = new Set(products.map(({name}) => name));
  return [
    ...(rules.base_url === base_url ? [] : [`base_url is ${rules.base_url}, and ${base_url} in the catalogue`]),
    ...(JSON.stringify(rules.payment.accepts) === JSON.stringify(payment.accepts)
      ? []
      : ['who is paid differs from the catalogue']),
    ...rules.rules.filter(({name}) => !named.has(name)).map(({name}) => `sells ${name}, which the catalogue lacks`),
    ...products.flatMap(entry => ruleFaults(entry, sold.get(entry.name))),
  ];
}

function ruleFaults({name, title, price}: Entry, rule: RuleEntry | undefined): string[] {
  if (!rule) return [`no rule asks money for ${name}`];
  const expected = {
    title,
    price,
    path: paths.paid(name),
    sample: paths.sample(name),
    schema: paths.paidSchema(name),
    type: JSON_TYPE,
  };
  return Object.entries(expected)
    .filter(([member, value]) => rule[member as keyof typeof expected] !== value)
    .map(([member, value]) => `${member} of ${name} is ${rule[member as keyof typeof expected]}, not ${value}`);
}
