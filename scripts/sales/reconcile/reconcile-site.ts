import {payeesOf} from './accounts.ts';
import {chainNodeAt} from './node.ts';
import {PaymentStore} from './payment-store.ts';
import {compare, type Comparison, type Wanted} from './reconcile.ts';
import {stateFile} from './state-file.ts';
import type {SalesSource} from '../source.ts';

export interface SiteOptions extends Pick<Wanted, 'from' | 'fromBlock' | 'onBlock' | 'onSale'> {
  readonly rpcUrl: string;
}

/** Compares the ledger of a site with the chain. Rejects with `InputError` if the site, the ledger or the node cannot be read. */
export async function reconcileSite(
  root: string,
  books: SalesSource,
  {rpcUrl, ...options}: SiteOptions,
): Promise<Comparison> {
  const payees = await payeesOf(root);
  const node = chainNodeAt(rpcUrl);
  using store = new PaymentStore(stateFile(root, await node.network()));
  return await compare({...options, books, node, payees, store});
}
