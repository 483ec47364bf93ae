import {Option} from '@commander-js/extra-typings';
import {networkOf} from '../buy/networks.ts';
import {checked} from './command.ts';
import {httpUrl} from './service-url.ts';

// The options of commands that buy.

export const toOption = () =>
  new Option('--to <folder>', 'holds the documents, and the record of what was paid').default('bought');

export const maxOption = () =>
  new Option('--max <dollars>', 'the most for a document').argParser(checked(amount)).default('$1.00');

export const budgetOption = () =>
  new Option('--budget <dollars>', 'the most for a day (UTC), over all runs with this folder')
    .argParser(checked(amount))
    .default('$10.00');

export const keyFileOption = () =>
  new Option('--key-file <path>', 'holds the private key of the wallet; nobody else may read it');

export const keystoreOption = () =>
  new Option('--keystore <path>', 'holds the key, encrypted (Web3 Secret Storage)').conflicts('keyFile');

export const passphraseFileOption = () =>
  new Option('--passphrase-file <path>', 'holds the passphrase of the keystore; nobody else may read it');

export const chainOption = () =>
  new Option('--rpc-url <url>', 'node of the chain: it says what became of a payment that was cut off')
    .env('RPC_URL')
    .argParser(checked(httpUrl));

export const networkOption = () =>
  new Option('--network <name>', 'the network to pay on, base or base-sepolia; real money needs it').argParser(
    checked(networkOf),
  );

export const onlyOption = () =>
  new Option(
    '--only <list>',
    'the only sites (origins) and payees (addresses) that may be paid, separated by commas',
  ).argParser(checked(listed));

/** Checks the shape; the buyer reads the entries. */
function listed(text: string): string[] {
  const list = text.split(',').map(one => one.trim());
  const isEntry = (one: string) =>
    /^0x[0-9a-f]{40}$/i.test(one) ||
    (/^https?:/.test(one) && URL.canParse(one) && new URL(one).href === `${new URL(one).origin}/`);
  if (!list.every(isEntry))
    throw new Error(
      'Expected origins such as https://snapshots.example and addresses such as 0x…, separated by commas.',
    );
  return list;
}

/** `$0.05`, also without the sign, which shells take for theirs. */
export function amount(text: string): string {
  const dollars = text.startsWith('$') ? text : `$${text}`;
  if (!/^\$(?!0(\.0+)?$)(0|[1-9]\d{0,5})(\.\d{1,6})?$/.test(dollars)) throw new Error('It is no amount such as 0.05.');
  return dollars;
}
