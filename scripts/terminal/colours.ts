import {isatty} from 'node:tty';
import pc from 'picocolors';

/**
 * Decides about colours: by `--color` or `--no-color`, then `NO_COLOR` or `FORCE_COLOR`, then by the terminal. The default of picocolors
 * would also colour pipes if `CI` is set.
 */
function wantsColours({argv, env}: Pick<NodeJS.Process, 'argv' | 'env'>): boolean {
  if (argv.includes('--no-color')) return false;
  if (argv.includes('--color')) return true;
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  return forced ? forced !== '0' : isatty(1) && env['TERM'] !== 'dumb';
}

export default pc.createColors(wantsColours(process));
