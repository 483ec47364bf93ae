import {mkdirSync, realpathSync, writeFileSync} from 'node:fs';
import {join, sep} from 'node:path';
import {InputError} from '../../../shared/fault.ts';
import {ifReadable} from '../../../shared/if-readable.ts';
import {PUBLIC} from '../../../shared/paths.ts';

const FOLDER = 'ledger';

/** Returns the path of the file with the payments of a network (CAIP-2). It is in the folder of the ledger, which git ignores. */
export function stateFile(root: string, network: string): string {
  const folder = join(root, FOLDER);
  try {
    mkdirSync(folder, {mode: 0o700});
    writeFileSync(join(folder, '.gitignore'), '*\n');
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new InputError({code: 'FZ401', file: FOLDER, rule: `cannot be made (${code})`}, {cause});
  }
  const shown = ifReadable(() => realpathSync(join(root, PUBLIC)));
  if (shown !== undefined && `${realpathSync(folder)}${sep}`.startsWith(`${shown}${sep}`))
    throw new InputError({code: 'FZ210', file: FOLDER, rule: `is below ${PUBLIC}, which everybody may read`});
  return join(folder, `payments-${network.replaceAll(/[^a-z0-9]+/gi, '-')}.db`);
}
