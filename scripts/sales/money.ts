import {findDefaultAsset} from '@x402/evm';
import {formatUnits} from 'viem';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {englishNumber} from '../../shared/english.ts';

export interface Currency {
  /** For example `USDC`; absent if x402 does not know the asset. */
  readonly symbol?: string;
  /** The decimal places of one unit. */
  readonly decimals: number;
  readonly network: string;
  readonly asset: string;
}

/** Display names of common networks. Others are shown by their CAIP-2 name. */
const NETWORKS: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia'],
]);

/** Returns the currency of a sale. Assets that x402 does not know are counted in atomic units. */
export function currencyOf({network, asset}: Pick<SaleRecord, 'network' | 'asset'>): Currency {
  const known = findDefaultAsset(asset, network as `${string}:${string}`);
  return {...(known && {symbol: known.symbol}), decimals: known?.decimals ?? 0, network, asset};
}

/** Formats an exact amount as a decimal: `0.02` for 20,000 atomic units of USDC. */
export function decimalOf(amount: bigint, {decimals}: Currency): string {
  return formatUnits(amount, decimals);
}

/** Formats an exact amount for people: `1,234.50`. */
export function amountWords(amount: bigint, currency: Currency): string {
  const {decimals} = currency;
  return englishNumber(decimalOf(amount, currency), {minFraction: Math.min(decimals, 2), maxFraction: decimals});
}

/** `USDC`, or `units of 0x…` */
export function symbolOf({symbol, asset}: Currency): string {
  return symbol ?? `units of ${asset}`;
}

/** `Base Sepolia`, or `eip155:137` */
export function networkName(network: string): string {
  return NETWORKS.get(network) ?? network;
}

/** `0.02 USDC on Base` */
export function moneyWords(amount: bigint, currency: Currency): string {
  return `${amountWords(amount, currency)} ${symbolOf(currency)} on ${networkName(currency.network)}`;
}
