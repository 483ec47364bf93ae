import {basename} from 'node:path';
import {wrongUsage, InputError} from '../../shared/fault.ts';
import slugify from '@sindresorhus/slugify';
import {createInterface} from 'node:readline/promises';
import {siteFaults, type PlainSite} from '../../build/read/site.ts';

/** The answers given by options. */
type Known = {readonly [Name in keyof Answers]: string | undefined};

/** Asks a question, or returns the default. */
type Ask = (name: keyof Answers, byDefault: string | undefined) => Promise<string>;

const OPTIONS = {
  title: '--title',
  description: '--description',
  base_url: '--base-url',
  pay_to: '--pay-to',
} as const;

const DESCRIPTION =
  'Small dated documents about lists that change: a free sample of each, and the whole for a few cents.';

/**
 * Returns the answers from options, and asks for the others. Throws `InputError` if a value violates a rule of the build, or if the payee
 * is missing.
 *
 * @param ask by default returns defaults without asking; then an option must name the payee
 */
export async function answersFrom(given: Known, folder: string, ask: Ask = takeDefault): Promise<Answers> {
  const byDefault = defaultsOf(folder);
  for (const name of ['title', 'description', 'base_url', 'pay_to'] as const) {
    const value = given[name];
    if (value !== undefined) await refuseBroken(name, value);
  }
  return {
    title: given.title ?? (await ask('title', byDefault.title)),
    description: given.description ?? (await ask('description', byDefault.description)),
    base_url: given.base_url ?? (await ask('base_url', byDefault.base_url)),
    pay_to: given.pay_to ?? (await ask('pay_to', undefined)),
  };
}

const takeDefault: Ask = async (name, byDefault) => {
  if (byDefault === undefined) {
    const fix = 'Add your address. Buyers pay to it, so it must be one of yours.';
    throw wrongUsage({code: 'FZ903', field: OPTIONS[name], rule: 'is missing', fix});
  }
  await refuseBroken(name, byDefault);
  return byDefault;
};

async function refuseBroken(name: keyof Answers, value: string): Promise<void> {
  const rule = await brokenRule(name, value);
  if (rule !== undefined) throw wrongUsage({code: 'FZ902', field: OPTIONS[name], value, rule});
}

function defaultsOf(folder: string): Omit<Answers, 'pay_to'> {
  const words = basename(folder)
    .split(/[\s_.-]+/)
    .filter(Boolean);
  const title = words.map(word => word.replace(/^\p{Ll}/u, letter => letter.toUpperCase())).join(' ');
  return {title, description: DESCRIPTION, base_url: `https://${packageNameOf(folder)}.example`};
}

const QUESTIONS = {
  title: 'Title of the site',
  description: 'What it offers, in a sentence or two for its first page',
  base_url: 'Address of the site (until you have a host, accept the suggested one)',
  pay_to: 'Address of your wallet, which receives the payments (0x and 40 hexadecimal digits)',
} as const;

/** Asks on the terminal until the build accepts the answer. Throws `InputError` if the user cancels. */
export const ask: Ask = async (name, byDefault = '') => {
  const lines = createInterface({input: process.stdin, output: process.stderr});
  const brokenOff = new AbortController();
  // Ctrl-C and Ctrl-D close the interface, but the question would wait forever.
  lines.once('close', () => {
    brokenOff.abort();
  });
  const question = `${QUESTIONS[name]}${byDefault && ` [${byDefault}]`}: `;
  try {
    for (;;) {
      const answer = (await lines.question(question, brokenOff)).trim() || byDefault;
      const rule = await brokenRule(name, answer);
      brokenOff.signal.throwIfAborted();
      if (rule === undefined) return answer;
      process.stderr.write(`It ${rule}.\n`);
    }
  } catch (cause) {
    if (!brokenOff.signal.aborted) throw cause;
    process.stderr.write('\n');
    throw new InputError({code: 'FZ904', subject: 'frozen init', rule: 'was cancelled: nothing was written'}, {cause});
  } finally {
    lines.close();
  }
};

/** Returns a package name for a folder, such as `my-site`. */
export function packageNameOf(folder: string): string {
  return slugify(basename(folder)).slice(0, 63) || 'site';
}

/** The settings of a site that only the publisher knows. */
export interface Answers {
  readonly title: string;
  /** Shown on the first page. */
  readonly description: string;
  readonly base_url: string;
  readonly pay_to: string;
}

/** The path of each answer in `data/site.json`. */
const FIELDS = {
  title: 'title',
  description: 'description',
  base_url: 'base_url',
  pay_to: 'payment.accepts[0].pay_to',
} as const;

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
async function brokenRule(name: keyof Answers, value: string): Promise<string | undefined> {
  const others = {title: 'Site', description: 'A site.', base_url: 'https://site.example', pay_to: ''};
  const faults = await siteFaults(siteOf({...others, [name]: value}, NETWORKS.main));
  return faults.find(({field}) => field === FIELDS[name])?.rule;
}
