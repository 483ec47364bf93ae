import {resolve} from 'node:path';
import {Option} from '@commander-js/extra-typings';
import {refuse} from '../shared/fault.ts';
import {buyerCommand} from './terminal/buyer-options.ts';
import {checked, jsonOption, wholeNumber, type Run} from './terminal/command.ts';
import {refuseGiven, refuseIgnored} from './terminal/refuse-ignored.ts';
import {parseKeyText} from '../shared/public-key.ts';
import type {Bought} from '../buyer/buy/owned.ts';
import type {Deal} from '../buyer/buy/consent.ts';

const DEFAULT_PAUSE = 300;
const LONGEST_PAUSE = 86_400;

const FOR_A_PRODUCT = [
  ...['max', 'budget', 'keyFile', 'keystore', 'passphraseFile', 'network', 'only', 'rpcUrl'],
  ...['acceptRewritten', 'dryRun', 'watch'],
];

/** `frozen buy`. Exit code: 0 the document is saved, 1 it is not. */
export const buy = (run: Run) =>
  buyerCommand('buy')
    .summary('buy a document')
    .description(
      'Buys a document: reads the catalogue, sample, schema and terms, pays within the limits, checks the document, and saves it with receipt and terms. A document that was bought before is not paid for again, and an interrupted purchase is continued. Without a name, it lists what the site sells.',
    )
    .argument(
      '<site>',
      'the origin of a site, such as https://snapshots.example, or the address of a document, /api/v1/<name>',
    )
    .argument('[name]', 'a product, or a part or format of one, such as softfail3-europe or softfail3.csv')
    .option('--accept-rewritten', 'buy although the site rewrote its history since the last visit')
    .addOption(
      new Option(
        '--site-key <key>',
        'the public key that must have signed the catalogue: the kid or x of its JWK; get it from a source that you trust',
      ).argParser(checked(parseKeyText)),
    )
    .option('--dry-run', 'show what would be bought, and buy nothing; it needs no wallet')
    .addOption(
      new Option(
        '--watch [seconds]',
        `check the site repeatedly, and buy each new snapshot; the pause in seconds (default: ${DEFAULT_PAUSE})`,
      )
        .argParser(wholeNumber(LONGEST_PAUSE))
        .conflicts('dryRun'),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The wallet needs USDC on Base or Base Sepolia, and no coin for gas. Its key is read from --key-file,
from --keystore, or from FROZEN_BUYER_KEY. The passphrase of a keystore is read from --passphrase-file or
FROZEN_BUYER_PASSPHRASE, or asked for on the terminal.

A signed payment counts as spent until a node of the chain shows that it was not charged. The first
purchase remembers the signing key of a site; a later key is refused unless the former key signed it.
If the wallet has paid for a pass, the command signs in instead of paying.

Without a name, the command lists every product with its parts and formats. Each has its own name and
price, and is saved as document.json, document.csv or document.parquet.

With --watch, --json prints one line for each document.

Exit codes: 0 the document is saved, 1 it is not saved, 2 wrong usage.

Examples: frozen buy https://snapshots.example softfail3 --max 0.05 --key-file wallet.key
          frozen buy https://snapshots.example softfail3.csv --key-file wallet.key
          frozen buy https://snapshots.example/api/v1/softfail3 --watch --budget 0.20 --key-file wallet.key
`,
    )
    .action((address, name, options, command) =>
      run(options, async terminal => {
        const [{buyer}, {dealOf, refuseChanged}, {openWallet, requireWallet}, {targetOf}, {watch}, report] =
          await Promise.all([
            import('../buyer/buy/buyer.ts'),
            import('../buyer/buy/consent.ts'),
            import('./wallet/open-wallet.ts'),
            import('../buyer/buy/target.ts'),
            import('./buy/watch.ts'),
            import('./buy/report.ts'),
          ]);
        const {dryRun, json, network, watch: pause} = options;
        const {name: wanted} = targetOf(address, name);
        if (wanted === undefined)
          refuseGiven(
            command,
            FOR_A_PRODUCT,
            'does not apply to the list of products',
            'Name a product, or remove the option.',
          );
        refuseIgnored(command, {'--passphrase-file': {with: '--keystore'}});
        if (wanted !== undefined && !dryRun) requireWallet(options, process.env);
        const limits = {...options, folder: resolve(options.folder), rpcUrl: options.rpcUrl || undefined};
        const looking = buyer(limits);
        if (wanted === undefined) {
          const catalogue = await looking.catalogue(address);
          terminal.print(catalogue, report.soldLines(catalogue, await looking.owned()));
          return 0;
        }
        // A reader that closes the pipe, such as `head`, has read enough, but the document is still to be bought.
        if (!dryRun)
          terminal.onOutputEnd = code => {
            if (code !== undefined) process.exit(code);
          };
        let shown: Deal | undefined;
        if (pause === undefined) {
          const look = await looking.look(address, name);
          if (dryRun || !json) terminal.print(report.offerForPrograms(look), report.offerLines(look, network));
          shown = dealOf(look.offer);
          // Without --dry-run the purchase refuses them, unless the wallet owns the document already and pays nothing.
          if (dryRun) {
            const faults = [...look.rewriteFaults, ...look.limitFaults];
            if (!json) refuse(faults);
            return faults.length > 0 ? 1 : 0;
          }
        }
        const paying = buyer({...limits, account: await openWallet(options, process.env)});
        if (pause !== undefined) {
          const seconds = pause === true ? DEFAULT_PAUSE : pause;
          const onBought = (bought: Bought) => {
            terminal.print(bought, report.boughtLine(bought), 0);
          };
          return watch({address, name, seconds}, paying, onBought, terminal);
        }
        const bought = await paying.buy(address, name, offer => {
          if (shown) refuseChanged(shown, offer);
        });
        terminal.print(bought, report.boughtLine(bought));
        return 0;
      }),
    );
