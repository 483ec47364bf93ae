import {basename} from 'node:path';
import {wrongUsage, InputError} from '../../shared/fault.ts';
import slugify from '@sindresorhus/slugify';
import {siteFaults, type PlainSite} from '../../build/read/site.ts';
import {askOn} from '../wallet/ask-hidden.ts';

/** The settings of a site that only the publisher knows: option, path in `data/site.json`, and question. */
const SETTINGS = {
  title: ['--title', 'title', 'Title of the site'],
  description: ['--description', 'description', 'What it offers, in a sentence or two for its index page'],
  base_url: ['--base-url', 'base_url', 'Address of the site (until you have a host, accept the suggested one)'],
  pay_to: [
    '--pay-to',
    'payment.accepts[0].pay_to',
    'Address of your wallet, which receives the payments (0x and 40 hexadecimal digits)',
  ],
} as const;
type Name = keyof typeof SETTINGS;
export type Answers = Readonly<Record<Name, string>>;

const DESCRIPTION = 'Dated documents about lists that change, each with a free sample.';

/**
 * Returns the answers from options, and asks for the others. Throws `InputError` if a value violates a rule of the build, or if the payee
 * is missing.
 *
 * @param asks false to use defaults without asking; then an option must name the payee
 */
export async function answersFrom(
  given: Readonly<Record<Name, string | undefined>>,
  folder: string,
  asks: boolean,
): Promise<Answers> {
  const answers = defaultsOf(folder);
  const open: Name[] = [];
  for (const name of Object.keys(SETTINGS) as Name[]) {
    const value = given[name];
    if (value === undefined) open.push(name);
    else await refuseBroken(name, (answers[name] = value));
  }
  for (const name of open) {
    if (asks) answers[name] = await ask(name, answers[name]);
    else await refuseBroken(name, answers[name]);
  }
  return answers;
}

async function refuseBroken(name: Name, value: string): Promise<void> {
  const [field] = SETTINGS[name];
  if (value === '' && name === 'pay_to') {
    const fix = 'Add your address. Buyers pay to it, so it must be one of yours.';
    throw wrongUsage({code: 'FZ903', field, rule: 'is missing', fix});
  }
  const rule = await brokenRule(name, value);
  if (rule !== undefined) throw wrongUsage({code: 'FZ902', field, value, rule});
}

function defaultsOf(folder: string): Record<Name, string> {
  const words = basename(folder)
    .split(/[\s_.-]+/)
    .filter(Boolean);
  const title = words.map(word => word.replace(/^\p{Ll}/u, letter => letter.toUpperCase())).join(' ');
  return {title, description: DESCRIPTION, base_url: `https://${packageNameOf(folder)}.example`, pay_to: ''};
}

/** Asks on the terminal until the build accepts the answer. Throws `InputError` if the user cancels. */
async function ask(name: Name, byDefault: string): Promise<string> {
  for (;;) {
    const answer = await askOn(process.stderr, `${SETTINGS[name][2]}${byDefault && ` [${byDefault}]`}: `);
    if (answer === undefined) {
      process.stderr.write('\n');
      throw new InputError({code: 'FZ904', subject: 'frozen init', rule: 'was cancelled: nothing was written'});
    }
    const value = answer.trim() || byDefault;
    const rule = await brokenRule(name, value);
    if (rule === undefined) return value;
    process.stderr.write(`It ${rule}.\n`);
  }
}

/** Returns a package name for a folder, such as `my-site`. */
export function packageNameOf(folder: string): string {
  return slugify(basename(folder)).slice(0, 63) || 'site';
}

/** Base Sepolia (test money) and Base. */
const NETWORKS = {test: 'eip155:84532', main: 'eip155:8453'} as const;

/** Returns `data/site.json` of a new site, which accepts test money. */
export function siteOf({title, description, base_url, pay_to}: Answers, network: string = NETWORKS.test): PlainSite {
  const facilitator_url = 'https://x402.org/facilitator';
  return {title, description, base_url, payment: {accepts: [{network, pay_to}], facilitator_url}};
}

/**
 * Returns the rule of `data/site.json` that an answer violates. The payee must be valid for real money, because a placeholder would easily
 * be forgotten when the network changes.
 */
async function brokenRule(name: Name, value: string): Promise<string | undefined> {
  const others = {title: 'Site', description: 'A site.', base_url: 'https://site.example', pay_to: ''};
  const faults = await siteFaults(siteOf({...others, [name]: value}, NETWORKS.main));
  return faults.find(({field}) => field === SETTINGS[name][1])?.rule;
}
