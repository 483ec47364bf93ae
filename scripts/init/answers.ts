import {basename} from 'node:path';
import {wrongUsage, InputError} from '../../shared/fault.ts';
import {packageNameOf} from './files.ts';
import {brokenRule, type Answers} from './site.ts';
import {createInterface} from 'node:readline/promises';

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
