import type {Terminal} from '../../terminal/command.ts';
import type {SalesSource} from '../source.ts';
import {reconcileSite, type SiteOptions} from './reconcile-site.ts';
import {isFine, reportForPrograms, reportOf} from './report.ts';

/** Compares ledger and chain, and prints the differences. Returns the exit code: 0 no difference, 1 differences. */
export async function runReconcile(
  root: string,
  books: SalesSource,
  {json, ...options}: Pick<SiteOptions, 'rpcUrl' | 'from' | 'fromBlock'> & {readonly json: boolean},
  {out, line}: Terminal,
): Promise<number> {
  const comparison = await reconcileSite(root, books, {
    ...options,
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
