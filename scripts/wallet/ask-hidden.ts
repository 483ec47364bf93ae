import {createInterface} from 'node:readline/promises';
import {PassThrough} from 'node:stream';
import {InputError, wrongUsage} from '../../shared/fault.ts';

/**
 * Asks on the terminal without showing the input. Throws `InputError` without a terminal, or if the user cancels.
 *
 * @param instead how to avoid the question, as the end of a sentence
 */
export async function askHidden(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw wrongUsage({code: 'FZ906', subject: 'The passphrase', rule: 'is missing', fix: `Use ${instead}.`});
  // The terminal shows what is typed until the interface is open.
  const answered = askOn(new PassThrough().resume());
  process.stderr.write(question);
  const answer = await answered;
  process.stderr.write('\n');
  if (answer !== undefined) return answer;
  throw new InputError({code: 'FZ906', subject: 'The passphrase', rule: 'was not given: nothing was signed'});
}

/** Asks on the terminal, and shows question and input on a stream. Returns undefined if the user cancels. */
export async function askOn(output: NodeJS.WritableStream, question = ''): Promise<string | undefined> {
  const lines = createInterface({input: process.stdin, output, terminal: true});
  const brokenOff = new AbortController();
  // Ctrl-C and Ctrl-D close the interface, but the question would wait forever.
  lines.once('close', () => {
    brokenOff.abort();
  });
  try {
    return await lines.question(question, brokenOff);
  } catch (cause) {
    if (!brokenOff.signal.aborted) throw cause;
    return undefined;
  } finally {
    lines.close();
  }
}
