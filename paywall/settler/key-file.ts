import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import type {PrivateKeyAccount} from 'viem/accounts';
import {SiteError} from '../site/site-error.ts';
import {accountOf} from './key.ts';

const OTHERS = 0o077;
/** More than any way to write a key. */
const MOST_BYTES = 4096;

/**
 * Reads the account of a key that stands in a file. Rejects with `SiteError` where it cannot, or others may read it, too.
 *
 * @param whose the beginning of a sentence about the file
 */
export async function readKeyFile(file: string, whose = "The settler's key file"): Promise<PrivateKeyAccount> {
  const name = `${whose} ${file}`;
  return accountOf(await readSecretFile(file, name), name);
}

/** Reads the text of a small file that nobody else may read. Rejects with `SiteError` where it cannot, or others may. */
export async function readSecretFile(file: string, name: string): Promise<string> {
  // Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    const {code = ''} = cause as NodeJS.ErrnoException;
    throw new SiteError(`${name} cannot be read (${code}).`, {cause});
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new SiteError(`${name} is no file.`);
    if (process.platform !== 'win32' && (stats.mode & OTHERS) !== 0)
      throw new SiteError(`${name} is open to others: chmod 600 it.`);
    const {buffer, bytesRead} = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
