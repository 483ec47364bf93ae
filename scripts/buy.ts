import {resolve} from 'node:path';
import {Option} from '@commander-js/extra-typings';
import {refuse} from '../shared/fault.ts';
import {buyerCommand} from './terminal/buyer-options.ts';
import {checked, jsonOption, wholeNumber, type Run, type Terminal} from './terminal/command.ts';
import {waiting} from './terminal/meter.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {parseKeyText} from '../shared/public-key.ts';
import type {Account} from '../buyer/buy/authorize.ts';
import type {Buyer, Look} from '../buyer/buy/buyer.ts';
import type {Bought} from '../buyer/buy/owned.ts';

const DEFAULT_PAUSE = 300;
const LONGEST_PAUSE = 86_400;

const FOR_A_PRODUCT = [
  ...['--max', '--budget', '--key-file', '--keystore', '--passphrase-file', '--network', '--only', '--rpc-url'],
  ...['--accept-rewritten', '--dry-run', '--watch'],
];

const declaration = () =>
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
purchase stores the signing key of the site. A later key is refused unless the former key signed it.
If the wallet has paid for a pass, the command signs in instead of paying.

Without a name, the command lists every product with its parts and formats. Each has its own name and
price, and is saved as document.json, document.csv or document.parquet.

With --watch, --json prints one line for each document.

Exit codes: 0 the document is saved, 1 it is not saved, 2 wrong usage.

Examples: frozen buy https://snapshots.example softfail3 --max 0.05 --key-file wallet.key
          frozen buy https://snapshots.example softfail3.csv --key-file wallet.key
          frozen buy https://snapshots.example/api/v1/softfail3 --watch --budget 0.20 --key-file wallet.key
`,
    );

/** A command line and its output. */
interface Call {
  readonly address: string;
  readonly name: string | undefined;
  readonly options: ReturnType<ReturnType<typeof declaration>['opts']>;
  readonly terminal: Terminal;
}

/** `frozen buy`. Exit code: 0 the document is saved, 1 it is not. */
export const buy = (run: Run) =>
  declaration().action((address, name, options, command) =>
    run(options, async terminal => {
      const [{targetOf}, {openWallet, requireWallet}] = await Promise.all([
        import('../buyer/buy/target.ts'),
        import('./wallet/open-wallet.ts'),
      ]);
      const call = {address, name, options, terminal};
      const rule = 'does not apply to the list of products';
      const isList = targetOf(address, name).name === undefined;
      refuseIgnored(
        command,
        [isList, FOR_A_PRODUCT, rule, 'Name a product, or remove the option.'],
        [!isList && !options.keystore, ['--passphrase-file'], {requires: '--keystore'}],
      );
      if (isList) return listProducts(call);
      if (options.dryRun) return showOffer(call);
      requireWallet(options, process.env);
      // A reader that closes the pipe, such as `head`, has read enough, but the document is still to be bought.
      terminal.onOutputEnd = code => {
        if (code !== undefined) process.exit(code);
      };
      const openBuyer = async () => newBuyer(call, await openWallet(options, process.env));
      return options.watch === undefined ? buyOnce(call, openBuyer) : watchProduct(call, await openBuyer());
    }),
  );

async function newBuyer({options}: Call, account?: Account): Promise<Buyer> {
  const {buyer} = await import('../buyer/buy/buyer.ts');
  return buyer({...options, folder: resolve(options.folder), rpcUrl: options.rpcUrl || undefined, account});
}

async function listProducts(call: Call): Promise<number> {
  const {address, terminal} = call;
  const [looking, {soldLines}] = await Promise.all([newBuyer(call), import('./buy/report.ts')]);
  const catalogue = await waiting(terminal.line, address, looking.catalogue(address));
  terminal.print(catalogue, soldLines(catalogue, await looking.owned()));
  return 0;
}

/** Returns 1 if a purchase would be refused. With `--json`, the printed offer contains the reasons. */
async function showOffer(call: Call): Promise<number> {
  const look = await printOffer(call);
  const faults = [...look.rewriteFaults, ...look.limitFaults];
  if (!call.options.json) refuse(faults);
  return faults.length > 0 ? 1 : 0;
}

async function printOffer(call: Call): Promise<Look> {
  const {address, name, options, terminal} = call;
  const [looking, {offerForPrograms, offerLines}] = await Promise.all([newBuyer(call), import('./buy/report.ts')]);
  const look = await waiting(terminal.line, address, looking.look(address, name));
  // With --json, a purchase prints only the document.
  if (options.dryRun || !options.json) terminal.print(offerForPrograms(look), offerLines(look, options.network));
  return look;
}

/** @param openBuyer opens the wallet, which may ask for a passphrase, so it is called after the offer is printed */
async function buyOnce(call: Call, openBuyer: () => Promise<Buyer>): Promise<number> {
  const {address, name, terminal} = call;
  const [{dealOf, refuseChanged}, {boughtLine}] = await Promise.all([
    import('../buyer/buy/consent.ts'),
    import('./buy/report.ts'),
  ]);
  // The faults of the offer are refused by the purchase, unless the wallet owns the document already and pays nothing.
  const shown = dealOf((await printOffer(call)).offer);
  const paying = await openBuyer();
  const buying = paying.buy(address, name, offer => {
    refuseChanged(shown, offer);
  });
  const bought = await waiting(terminal.line, address, buying);
  terminal.print(bought, boughtLine(bought));
  return 0;
}

async function watchProduct({address, name, options, terminal}: Call, paying: Buyer): Promise<number> {
  const [{watch}, {boughtLine}] = await Promise.all([import('./buy/watch.ts'), import('./buy/report.ts')]);
  const seconds = typeof options.watch === 'number' ? options.watch : DEFAULT_PAUSE;
  const onBought = (bought: Bought) => {
    terminal.print(bought, boughtLine(bought), 0);
  };
  return watch({address, name, seconds}, paying, onBought, terminal);
}
