import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import Connection from 'libsql';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {databaseOn} from '../../paywall/ledger/sqlite.ts';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import type {Finding} from '../../scripts/sales/reconcile/findings.ts';
import type {Comparison} from '../../scripts/sales/reconcile/reconcile.ts';
import {fixtureSite} from '../paywall/fixture-site.ts';
import {runScript} from '../scripts/script-run.ts';
import type {Paid} from './authorizations.ts';

/** The process that leases the sales. */
export const ME = 'me';

/** A site with a ledger, and a separate chain that can be reorganised. */
export interface ReconciledSite extends AsyncDisposable {
  readonly root: string;
  readonly chain: LocalChain;
  /** Calls a function with the ledger of the gate. */
  write(work: (ledger: SqlLedger, run: (sql: string) => void) => Promise<void>): Promise<void>;
  /** Makes all transactions final, and older than the tolerated difference of the clocks. */
  finish(): Promise<void>;
  /** Runs the command like a publisher. */
  reconcile(...args: string[]): Promise<Reconciled>;
}

export interface Reconciled {
  readonly code: number | null;
  /** Returns the output of `--json`. */
  readonly comparison: Omit<Comparison, 'findings'> & {
    readonly ok: boolean;
    readonly findings: readonly (Omit<Finding, 'isFinal' | 'sale'> & {
      readonly final: boolean;
      readonly sale?: {readonly key: string};
    })[];
  };
  /** The kind of each finding, with ` (not final)` if it is not an error yet. */
  readonly findings: readonly string[];
}

export async function reconciledSite(): Promise<ReconciledSite> {
  const [site, chain] = [await fixtureSite(), await startChain()];
  await mkdir(join(site.root, 'data'));
  const file = join(site.root, 'ledger/sales.db');
  await (await openLedger(site.root)).close();
  return {
    root: site.root,
    chain,
    async write(work) {
      const connection = new Connection(file);
      connection.exec('PRAGMA synchronous = OFF'); // ten thousand sales, which do not have to survive a power failure
      await work(new SqlLedger(databaseOn(connection)), sql => connection.exec(sql));
      connection.close();
    },
    finish: () => chain.client.mine({blocks: 200, interval: 60}),
    reconcile: (...args) => reconcile(site.root, ['--rpc-url', chain.rpcUrl, ...args]),
    async [Symbol.asyncDispose]() {
      await chain.stop();
      await site.remove();
    },
  };
}

/** Records paid sales, as the gate does. */
export async function sell(ledger: SqlLedger, paid: readonly Paid[]): Promise<void> {
  for (const {sale, transaction} of paid) {
    await ledger.start(sale, ME);
    await ledger.move(sale.key, ME, {to: 'delivered', transaction});
  }
}

export async function reconcile(root: string, args: readonly string[]): Promise<Reconciled> {
  const {code, out, err} = await runScript('sales', ['--reconcile', '--json', '--root', root, ...args]);
  try {
    const comparison = JSON.parse(out) as Reconciled['comparison'];
    const findings = comparison.findings.map(({kind, final}) => (final ? kind : `${kind} (not final)`));
    return {code, comparison, findings};
  } catch (cause) {
    throw new Error(`${code}: ${out}${err}`, {cause});
  }
}
