import {createInterface} from 'node:readline/promises';
import {Writable} from 'node:stream';
import {InputError} from '../../shared/fault.ts';

/**
 * Asks on the terminal without showing what is typed. Throws `InputError` where there is no terminal, or the person breaks off.
 *
 * @param instead what would make the question needless, as the end of a sentence
 */
export async function askHidden(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY) throw new InputError({file: 'passphrase', rule: `is missing: give ${instead}`});
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const lines = createInterface({input: process.stdin, output: nowhere, terminal: true});
  const brokenOff = new AbortController();
  // Ctrl-C and Ctrl-D, at which a question would wait for ever.
  lines.once('close', () => {
    brokenOff.abort();
  });
  process.stderr.write(question);
  try {
    return await lines.question('', brokenOff);
  } catch (cause) {
    if (!brokenOff.signal.aborted) throw cause;
    throw new InputError({file: 'passphrase', rule: 'was not given: nothing was signed'}, {cause});
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
