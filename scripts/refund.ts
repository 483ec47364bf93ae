import {Command} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {openLedger, ledgerOption, workerOption} from './sales/options.ts';
import {checked, jsonOption, rootOption, rpcUrlOption, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';

export const refund = (run: Run) =>
  new Command('refund')
    .summary('refund a sale')
    .description(
      'Prints how to refund a sale with the wallet that received the money; this program never has the key of that wallet. With --paid, it records the refund once the chain shows it.',
    )
    .argument(
      '<sale>',
      'the transaction that paid for the sale, or the key of the sale (frozen sales --csv lists both)',
      checked(sale),
    )
    .option(
      '--paid [transaction]',
      'record the refund: the transaction of the refund (default: found on the chain)',
      (text: string) => checked(transaction)(text),
    )
    .addOption(rpcUrlOption('a node of the chain'))
    .addOption(rootOption())
    .addOption(ledgerOption())
    .addOption(workerOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A refund is a transfer of the whole amount from the payee to the payer. Once it is recorded, the buyer
can no longer collect the document, and frozen sales subtracts the amount.

Exit codes: 0 success, 1 nothing to refund or the chain does not show the refund, 2 wrong usage.

Example: frozen refund 0x5c50…e1f4 --paid 0x9a0b…77d2 --rpc-url https://sepolia.base.org
`,
    )
    .action((sale, options, command) =>
      run(options, async terminal => {
        refuseIgnored(
          command,
          [!options.paid, ['--rpc-url'], {requires: '--paid'}],
          [Boolean(options.worker), ['--ledger-url', '--root'], 'cannot be used with --worker'],
        );
        const {refundSale} = await import('./refund/refund.ts');
        const ledger = await openLedger(() => siteRoot(options.root), options);
        try {
          await refundSale(sale, options, ledger, terminal);
        } finally {
          await ledger.close();
        }
      }),
    );

const TRANSACTION = /^0x[0-9a-f]{64}$/i;

/** Checks the form of a transaction or of a key: network, asset, payer and nonce. */
function sale(text: string): string {
  if (TRANSACTION.test(text) || text.split(' ').length === 4) return text;
  throw new Error('Expected a transaction (0x and 64 hexadecimal digits), or the key of a sale.');
}

function transaction(text: string): string {
  if (!TRANSACTION.test(text)) throw new Error('Expected a transaction: 0x and 64 hexadecimal digits.');
  return text.toLowerCase();
}
