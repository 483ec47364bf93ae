import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {booksOf, ledgerOption, workerOption} from './sales/options.ts';
import {checked, rootOption, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {httpUrl} from './terminal/service-url.ts';

const USES = {
  '--rpc-url': {with: '--paid'},
  '--ledger-url': {without: ['--from-worker']},
  '--root': {without: ['--from-worker']},
} as const;

/** `frozen refund`. Exit code: 0 told or noted, 1 there is nothing to pay back, or the chain does not show it. */
export const refund = (run: Run) =>
  new Command('refund')
    .summary('tell how a sale is paid back, and note that it was')
    .description(
      'Tells how the wallet that was paid pays a sale back: this program never holds its key. With --paid it notes the refund, once the chain shows it.',
    )
    .argument('<sale>', 'the transaction that paid for it, or its key (frozen sales --csv lists both)')
    .option(
      '--paid [transaction]',
      'the transaction that paid it back; without one, the chain is searched for it',
      (text: string) => checked(transaction)(text),
    )
    .addOption(new Option('--rpc-url <url>', 'node of the chain').env('RPC_URL').argParser(checked(httpUrl)))
    .addOption(rootOption('the ledger'))
    .addOption(ledgerOption())
    .addOption(workerOption())
    .option('--json', 'the same for programs')
    .addHelpText(
      'after',
      `
A refund is a transfer of the whole amount, from the wallet that was paid to the one that has paid.
Once it is noted, the document is not owed any more, and frozen sales subtracts it.

Exit codes: 0 fine, 1 there is nothing to pay back or the chain does not show it, 2 wrong usage.

Example: frozen refund 0x5c50…e1f4 --paid 0x9a0b…77d2 --rpc-url https://sepolia.base.org
`,
    )
    .action((sale, options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, USES);
        const {refundSale} = await import('./refund/refund.ts');
        const books = await booksOf(() => siteRoot(options.root), options);
        try {
          await refundSale(sale, options, books, terminal);
          return 0;
        } finally {
          await books.close();
        }
      }),
    );

function transaction(text: string): string {
  if (!/^0x[0-9a-f]{64}$/i.test(text)) throw new Error('It is no transaction: 0x and 64 hexadecimal digits.');
  return text.toLowerCase();
}
