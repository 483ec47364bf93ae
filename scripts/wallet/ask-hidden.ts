import {createInterface} from 'node:readline/promises';
import {Writable} from 'node:stream';
import {InputError} from '../../shared/fault.ts';

/**
 * Asks on the terminal without showing the input. Throws `InputError` without a terminal, or if the user cancels.
 *
 * @param instead how to avoid the question, as the end of a sentence
 */
export async function askHidden(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new InputError({code: 'FZ906', subject: 'The passphrase', rule: 'is missing', fix: `Use ${instead}.`});
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const lines = createInterface({input: process.stdin, output: nowhere, terminal: true});
  const brokenOff = new AbortController();
  // Ctrl-C and Ctrl-D close the interface, but the question would wait forever.
  lines.once('close', () => {
    brokenOff.abort();
  });
  process.stderr.write(question);
  try {
    return await lines.question('', brokenOff);
  } catch (cause) {
    if (!brokenOff.signal.aborted) throw cause;
    throw new InputError(
      {code: 'FZ906', subject: 'The passphrase', rule: 'was not given: nothing was signed'},
      {cause},
    );
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
