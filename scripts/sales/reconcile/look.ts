import {InputError} from '../../../shared/fault.ts';
import type {Block, ChainNode} from './node.ts';
import type {Extent, PaymentStore, Reach} from './payment-store.ts';
import {incomeIn} from './payments.ts';
import {inWindows} from './windows.ts';

/**
 * Adds the payments up to block `last` to the store, continuing from the previous run. Payments that are not final are read again in the
 * next run.
 *
 * @param onBlock called with the number of each processed block
 */
export async function look(
  node: ChainNode,
  store: PaymentStore,
  extent: Extent,
  {final, last}: {readonly final: Block; readonly last: number},
  onBlock?: (block: number) => void,
): Promise<void> {
  const reach = store.reachOf(extent);
  const isKnown = reach && isWithin(extent.first, reach) && (await isSameChain(reach.anchor, node));
  if (isKnown) store.goOn(final);
  else store.begin(extent, final);
  const next = isKnown ? reach.next : extent.first;
  const parts = [
    {from: next, to: final.number, isFinal: true},
    {from: Math.max(next, final.number + 1), to: last, isFinal: false},
  ];
  for (const {from, to, isFinal} of parts)
    for await (const window of inWindows(from, to, (first, end) => incomeIn(node, extent, first, end))) {
      store.add(window.seen, isFinal ? window.last + 1 : undefined);
      onBlock?.(window.last);
    }
}

function isWithin(block: number, {first, next}: Reach): boolean {
  return first <= block && block <= next;
}

async function isSameChain({number, hash}: Reach['anchor'], node: ChainNode): Promise<boolean> {
  const block = await node.block(number);
  if (block) return block.hash === hash;
  const rule = 'was final in a former run, and the node does not have it: it is behind';
  throw new InputError({code: 'FZ503', field: `block ${number}`, rule});
}
