import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {wrongUsage} from '../shared/fault.ts';
import {openLedger, ledgerOption, workerOption} from './sales/options.ts';
import {DIMENSIONS, parseTime, type SalesSource} from './sales/source.ts';
import {needing} from './terminal/optional.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {checked, jsonOption, rootOption, rpcUrlOption, type Run} from './terminal/command.ts';

export const sales = (run: Run) =>
  new Command('sales')
    .summary('list sales and income')
    .description(
      'Lists what was sold, when, to which wallet and for how much, from the ledger of the gate. It changes nothing.',
    )
    .addOption(rootOption())
    .addOption(ledgerOption())
    .addOption(workerOption())
    .addOption(
      new Option('--aws', 'read the settlements of AWS WAF, by default of the last 90 days').conflicts('worker'),
    )
    .option('--since <time>', 'only sales from this date or time (UTC) on', checked(parseTime))
    .option('--until <time>', 'only sales before this date or time (UTC)', checked(parseTime))
    .addOption(new Option('--by <what>', 'show only this table').choices(DIMENSIONS))
    .addOption(jsonOption().conflicts('csv'))
    .addOption(new Option('--csv', 'print a CSV file with one row per sale').conflicts(['json', 'by']))
    .option('--reconcile', 'compare the ledger with the chain, and list each difference')
    .addOption(rpcUrlOption('the node of the chain for --reconcile'))
    .option('--from-block <n>', 'compare from this block on (default: a block before the first sale)', checked(block))
    .addHelpText(
      'after',
      `
Income is the money that you received. Refunds (frozen refund) are subtracted on the day of the sale.
The date of --until is not included: --since 2026-05-01 --until 2026-06-01 selects May.
--reconcile reads the chain from a block before the first sale on; --since or --from-block select a later start.

Exit codes: 0 success, 1 the sales cannot be read or differ from the chain, 2 wrong usage.

Examples: frozen sales --since 2026-05-01 --by product
          frozen sales --reconcile --rpc-url https://mainnet.base.org
`,
    )
    .action((options, command) => {
      const {rpcUrl, reconcile, fromBlock} = options;
      return run(options, async terminal => {
        const {root, aws, worker, json, csv, by, since, until} = options;
        const isElsewhere = Boolean(aws ?? worker);
        const notHere = `cannot be used with ${aws ? '--aws' : '--worker'}`;
        refuseIgnored(
          command,
          [isElsewhere, ['--ledger-url'], notHere],
          // With --reconcile, --root is the site whose rules name the payees.
          [isElsewhere && !reconcile, ['--root'], notHere],
          [Boolean(reconcile), ['--aws', '--until', '--by', '--csv'], 'cannot be used with --reconcile'],
          [!reconcile, ['--rpc-url', '--from-block'], {requires: '--reconcile'}],
        );
        if (reconcile && !rpcUrl) {
          const rule = 'needs a node of the chain';
          const fix = 'Add `--rpc-url`, or set FROZEN_RPC_URL.';
          throw wrongUsage({code: 'FZ903', field: '--reconcile', rule, fix});
        }
        if (since !== undefined && until !== undefined && since >= until) {
          const rule = 'is not later than --since, and is not included: no sale is in this period';
          throw wrongUsage({code: 'FZ902', field: '--until', rule});
        }
        const {report} = await import('./sales/report.ts');
        const source = aws ? await awsSource() : await openLedger(() => siteRoot(root), options);
        try {
          if (reconcile && rpcUrl) {
            const {runReconcile} = await import('./sales/reconcile/report.ts');
            return await runReconcile(siteRoot(root), source, {rpcUrl, from: since, fromBlock}, terminal);
          }
          const form = csv ? 'csv' : json ? 'json' : 'tables';
          return await report(source, {period: {from: since, to: until}, by, form}, terminal);
        } finally {
          await source.close();
        }
      });
    });

function block(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error('Expected the number of a block.');
}

function awsSource(): Promise<SalesSource> {
  return needing(['@aws-sdk/client-wafv2', '@aws-sdk/client-cloudfront', '@aws-sdk/client-s3'], async () => {
    const {awsSettlements} = await import('./sales/from-aws.ts');
    return await awsSettlements();
  });
}
