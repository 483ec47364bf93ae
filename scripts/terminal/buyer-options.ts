import {Command, Option} from '@commander-js/extra-typings';
import {networkOf} from '../../buyer/buy/networks.ts';
import {onlyThese} from '../../buyer/buy/target.ts';
import {checked, rpcUrlOption} from './command.ts';

/** Returns a command with the options of everything that buys. */
export function buyerCommand(name: string) {
  return new Command(name)
    .option('--folder <folder>', 'the folder for the documents and the record of payments', 'bought')
    .option('--max <dollars>', 'the maximum price of a document', checked(amount), '$1.00')
    .addOption(
      new Option('--budget <dollars>', 'the maximum for a day (UTC), for all runs with the same folder')
        .argParser(checked(amount))
        .default('$10.00'),
    )
    .addOption(keyFileOption())
    .addOption(keystoreOption())
    .addOption(passphraseFileOption())
    .addOption(
      new Option('--network <name>', 'the network to pay on: base or base-sepolia; required for real money').argParser(
        checked(networkOf),
      ),
    )
    .addOption(
      new Option(
        '--only <list>',
        'pay only these sites (origins) and payees (addresses), separated by commas',
      ).argParser(checked(listed)),
    )
    .addOption(rpcUrlOption('a node of the chain, which shows the outcome of an interrupted payment'));
}

export const keyFileOption = () =>
  new Option('--key-file <file>', 'the file with the private key; only you may have access to it');

export const keystoreOption = () =>
  new Option('--keystore <file>', 'the file with the encrypted key (Web3 Secret Storage)').conflicts('keyFile');

export const passphraseFileOption = () =>
  new Option(
    '--passphrase-file <file>',
    'the file with the passphrase of the keystore; only you may have access to it',
  );

/** Checks the entries, which the buyer parses again. */
function listed(text: string): string[] {
  const list = text.split(',').map(one => one.trim());
  onlyThese(list);
  return list;
}

/** Parses `$0.05`, or `0.05`, because shells replace `$0`. */
export function amount(text: string): string {
  const dollars = text.startsWith('$') ? text : `$${text}`;
  if (!/^\$(?!0(\.0+)?$)(0|[1-9]\d{0,5})(\.\d{1,6})?$/.test(dollars))
    throw new Error('Expected an amount such as 0.05.');
  return dollars;
}
