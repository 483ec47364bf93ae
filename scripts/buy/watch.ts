import {setTimeout as sleep} from 'node:timers/promises';
import {linesOf} from '../terminal/faults.ts';
import {stopSignal} from '../terminal/stop-signal.ts';
import type {Terminal} from '../terminal/command.ts';
import type {Bought, Buyer} from '../../buyer/buy/buyer.ts';

/**
 * Buys each new `as_of` of a product until the process is told to stop; resolves with the exit code. A fault is told once, and looked at
 * again: a budget is larger tomorrow.
 */
export async function watch(
  {address, name, seconds}: {readonly address: string; readonly name: string | undefined; readonly seconds: number},
  buyer: Buyer,
  onBought: (bought: Bought) => void,
  terminal: Terminal,
): Promise<number> {
  const stopped = stopSignal(terminal);
  const stop = new AbortController();
  void stopped.then(() => {
    stop.abort();
  });
  let told = '';
  while (!stop.signal.aborted) {
    const fault = await round(buyer, address, name, onBought);
    if (fault !== told && fault !== '') terminal.err.write(`${fault}\n`);
    told = fault;
    // Only the end of the pause rejects it.
    await sleep(seconds * 1000, undefined, stop).catch(() => undefined);
  }
  return stopped;
}

/** Looks once, and buys what is newer than all that is here; what is wrong, in lines. */
async function round(
  buyer: Buyer,
  address: string,
  name: string | undefined,
  onBought: (bought: Bought) => void,
): Promise<string> {
  try {
    const {offer, owned, rewritten} = await buyer.look(address, name);
    if (rewritten) throw rewritten;
    const {entry, document, site} = offer;
    const former = (await buyer.owned()).filter(one => one.site === site.origin && one.name === document.name);
    const isNewer = former.every(({as_of}) => as_of < entry.as_of);
    if (!owned && isNewer) onBought(await buyer.buy(address, name));
    return '';
  } catch (error) {
    const lines = linesOf(error);
    if (lines === undefined) throw error;
    return lines;
  }
}
