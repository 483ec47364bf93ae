import {accountOfKey} from '../../shared/private-key.ts';
import {parseKeyText} from '../../shared/public-key.ts';
import {Wallet, type Account} from './authorize.ts';
import {microsOf} from './money.ts';
import {networkOf} from './networks.ts';
import {onlyThese} from './target.ts';

/** The wallet, the folder and the limits of a buyer. */
export interface BuyerOptions {
  /** A private key of 64 hexadecimal digits, or an account as viem creates it. Without either, nothing can be paid. */
  readonly key?: string | undefined;
  readonly account?: Account | undefined;
  /** The folder for documents, receipts and the record of payments. Only one buyer can use it at a time. */
  readonly folder: string;
  /** The maximum price of a document, such as `$0.05`; by default $1. */
  readonly max?: string | undefined;
  /** The maximum for a day (UTC); by default $10. */
  readonly budget?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Buys although the site rewrote data that this folder has seen. The new state is remembered. */
  readonly acceptRewritten?: boolean | undefined;
  /** The key that signs the site, as `kid` or `x`; by default the key that the folder remembers from an earlier purchase. */
  readonly siteKey?: string | undefined;
  /** The network to pay on: `base`, `base-sepolia` or a CAIP-2 identifier. Real money is paid only on a network that is named here. */
  readonly network?: string | undefined;
  /** The only sites (origins) and payees (addresses) that may be paid. All sites are allowed if none is listed, and all payees likewise. */
  readonly only?: readonly string[] | undefined;
  /** A node of the chain, which shows the outcome of an interrupted payment. */
  readonly rpcUrl?: string | undefined;
}

/** In millionths of a dollar. */
const DEFAULT_MAX = 1_000_000;
const DEFAULT_BUDGET = 10_000_000;

export type Settings = ReturnType<typeof settingsOf>;

/** Parses the options of a buyer. Throws `TypeError` for an invalid one. */
export function settingsOf(options: BuyerOptions) {
  const {folder, rpcUrl, acceptRewritten = false, fetch: fetcher = fetch} = options;
  if (!folder) throw new TypeError('folder is missing');
  const wallet = walletOf(options);
  const network = optionIn(options.network, networkOf, 'a network on which a buyer can pay');
  const only = onlyThese(options.only ?? []);
  const max = optionIn(options.max, microsOf, 'an amount such as $0.05') ?? DEFAULT_MAX;
  const budget = optionIn(options.budget, microsOf, 'an amount such as $0.05') ?? DEFAULT_BUDGET;
  const siteKey = optionIn(options.siteKey, parseKeyText, 'the kid or x of the key of a site');
  return {
    folder,
    rpcUrl,
    acceptRewritten,
    wallet,
    network,
    only,
    max,
    budget,
    known: {folder, fetch: fetcher, siteKey},
  };
}

function walletOf({key, account}: BuyerOptions): Wallet | undefined {
  if (key !== undefined && account !== undefined) throw new TypeError('key and account exclude each other');
  const payer = key === undefined ? account : accountOfKey(key);
  if (key !== undefined && !payer) throw new TypeError('key is not a private key of 64 hexadecimal digits');
  try {
    return payer && new Wallet(payer);
  } catch (cause) {
    throw new TypeError(`${payer?.address} is not the address of an account`, {cause});
  }
}

/** Parses an option, if it is given. Throws `TypeError` if it is invalid. */
function optionIn<T>(text: string | undefined, parse: (text: string) => T, what: string): T | undefined {
  try {
    return text === undefined ? undefined : parse(text);
  } catch (cause) {
    throw new TypeError(`${text} is not ${what}`, {cause});
  }
}
