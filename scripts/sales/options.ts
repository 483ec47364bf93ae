import {Option} from '@commander-js/extra-typings';
import {isLoopback} from '../../shared/loopback.ts';
import {checked} from '../terminal/command.ts';

export const ledgerOption = () =>
  new Option('--ledger-url <url>', 'the ledger: a SQLite file, or a postgres: address (default: ledger/sales.db)')
    .env('FROZEN_LEDGER_URL')
    .argParser(checked(ledgerUrl));

export const workerOption = () =>
  new Option(
    '--worker <origin>',
    'the origin of a Worker with the ledger; needs the token in FROZEN_SALES_TOKEN, or in FROZEN_REFUNDS_TOKEN for refunds',
  ).argParser(checked(workerOrigin));

/**
 * Opens the ledger of a Worker if `worker` is set, otherwise that of a gate on Node. Throws `SiteError` if there is no ledger, `InputError` if
 * the token of the Worker is not set.
 */
export async function openLedger(
  root: () => string,
  {worker, ledgerUrl}: {readonly worker?: string | undefined; readonly ledgerUrl?: string | undefined},
) {
  if (worker !== undefined) {
    const {workerAt} = await import('./from-worker.ts');
    return workerAt(worker, process.env);
  }
  const {ledgerAt} = await import('./from-ledger.ts');
  return ledgerAt(root(), ledgerUrl || undefined);
}

/** Checks that the ledger is a path, of which a letter before a colon may be a Windows drive, or has a known scheme. */
function ledgerUrl(text: string): string {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(text) ?? [];
  if (scheme === undefined || /^(file|postgres|postgresql)$/i.test(scheme)) return text;
  throw new Error('Expected a path, file: or postgres:.');
}

/** Returns the origin of a Worker. Throws unless it is `https:` or on this machine, because a token is sent there. */
function workerOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || `${url.origin}/` !== url.href) throw new Error('Expected an origin, such as https://snapshots.example.');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url.origin;
  throw new Error('Expected https:, or an address of this machine: otherwise the token could be read on its way.');
}
