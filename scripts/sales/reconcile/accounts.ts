import type {Network} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import type {Payee} from '../../../shared/payees.ts';
import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import type {Accounts} from './payments.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** The payees and assets to compare on one network, and a summary of the ledger. */
export interface Survey extends Accounts {
  readonly sales: number;
  /** Start of the first of them, in milliseconds since 1970. */
  readonly begin: number | undefined;
  /** Number of sales on other networks; 0 for networks that only the rules name. */
  readonly elsewhere: Readonly<Record<string, number>>;
}

/** Collects the payees and assets of a network from the rules and from the ledger, which may contain former payees. */
export async function survey(
  network: string,
  rules: readonly Payee[],
  ledger: AsyncIterable<SaleRecord>,
): Promise<Survey> {
  const here = rules.filter(payee => payee.network === network).map(({pay_to}) => pay_to.toLowerCase());
  const [payees, assets] = [new Set(here), new Set<string>()];
  if (here.length > 0) assets.add(await dollarOf(network));
  const elsewhere = Object.fromEntries(rules.filter(payee => payee.network !== network).map(each => [each.network, 0]));
  let [sales, begin]: [number, number | undefined] = [0, undefined];
  for await (const sale of ledger) {
    if (sale.network !== network) {
      elsewhere[sale.network] = (elsewhere[sale.network] ?? 0) + 1;
      continue;
    }
    sales++;
    begin = Math.min(begin ?? Infinity, sale.startedAt);
    payees.add(sale.payTo.toLowerCase());
    assets.add(sale.asset.toLowerCase());
  }
  const addresses = (all: ReadonlySet<string>) => [...all].filter(each => ADDRESS.test(each)).sort();
  return {assets: addresses(assets), payees: addresses(payees), sales, begin, elsewhere};
}

/** Returns the address of the token that x402 uses for prices in dollars. */
async function dollarOf(network: string): Promise<string> {
  const {asset} = await new ExactEvmScheme().parsePrice('$1', network as Network);
  return asset.toLowerCase();
}
