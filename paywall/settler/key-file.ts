import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import type {PrivateKeyAccount} from 'viem/accounts';
import {printable} from '../../shared/printable.ts';
import {cannotBeRead} from '../site/documents.ts';
import {SiteError} from '../site/site-error.ts';
import {accountOf} from './key.ts';

const OTHERS = 0o077;
const WRITABLE = 0o222;
/** Larger than any file with a key. */
const MOST_BYTES = 4096;

/**
 * Reads the account of the private key in a file. Rejects with `SiteError` like `readSecretFile`, or if the text is not a key.
 *
 * @param whose the beginning of a sentence about the file
 */
export async function readKeyFile(file: string, whose = "The settler's key file"): Promise<PrivateKeyAccount> {
  const name = `${whose} ${file}`;
  return accountOf(await readSecretFile(file, name), name);
}

/**
 * Reads the text of a small file that only its owner may read. A file that others may read and that is read-only, as the secrets of
 * containers are (mode 0444), causes a warning. Rejects with `SiteError` if others may read or write any other file.
 */
export async function readSecretFile(
  file: string,
  name: string,
  warn: (line: string) => void = toStderr,
): Promise<string> {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new SiteError('FZ504', `${name} ${cannotBeRead(cause)}.`, {cause, fix: 'Correct the path of the file.'});
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new SiteError('FZ504', `${name} is not a file.`, {fix: 'Correct the path of the file.'});
    if (process.platform !== 'win32' && (stats.mode & OTHERS) !== 0) {
      if ((stats.mode & WRITABLE) !== 0)
        throw new SiteError('FZ504', `${name} can be read by other users.`, {fix: 'Run `chmod 600` on it.'});
      warn(`${name} can be read by other users of this machine.`);
    }
    const {buffer, bytesRead} = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function toStderr(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
