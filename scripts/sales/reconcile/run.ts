import type {Terminal} from '../../terminal/command.ts';
import type {SalesSource} from '../source.ts';
import {payeesOf} from './accounts.ts';
import {chainNodeAt} from './node.ts';
import {compare, type Wanted} from './reconcile.ts';
import {isFine, reportForPrograms, reportOf} from './report.ts';

interface Options extends Pick<Wanted, 'from' | 'fromBlock'> {
  readonly rpcUrl: string;
  readonly json: boolean;
}

/** Compares ledger and chain, and prints the differences. Returns the exit code: 0 no difference, 1 differences. */
export async function runReconcile(
  root: string,
  ledger: SalesSource,
  {json, rpcUrl, ...options}: Options,
  {out, line}: Terminal,
): Promise<number> {
  const comparison = await compare({
    ...options,
    ledger,
    node: chainNodeAt(rpcUrl),
    payees: await payeesOf(root),
    onBlock: (block, of) => {
      line.show(() => `block ${block} of ${of}`);
    },
    onSale: (sale, of) => {
      line.show(() => `sale ${sale} of ${of}`);
    },
  });
  line.end();
  const text = json ? JSON.stringify(reportForPrograms(comparison), null, 2) : reportOf(comparison);
  out.write(`${text}\n`);
  return isFine(comparison) ? 0 : 1;
}
