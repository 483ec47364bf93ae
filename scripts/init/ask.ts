import {createInterface} from 'node:readline/promises';
import {InputError} from '../../shared/fault.ts';
import type {Ask} from './answers.ts';
import {brokenRule} from './site.ts';

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
