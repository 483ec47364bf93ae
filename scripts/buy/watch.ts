import {setTimeout as sleep} from 'node:timers/promises';
import {refuse} from '../../shared/fault.ts';
import {linesOf} from '../terminal/faults.ts';
import {stopSignal} from '../terminal/stop-signal.ts';
import type {Terminal} from '../terminal/command.ts';
import type {Buyer} from '../../buyer/buy/buyer.ts';
import type {Bought} from '../../buyer/buy/owned.ts';

/**
 * Buys each new `as_of` of a product until the process is stopped. Resolves with the exit code. Errors are printed once and do not end the
 * loop, because some pass: the daily budget grows again tomorrow.
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

  async function buyIfNewer(): Promise<void> {
    const {offer, owned, rewriteFaults} = await buyer.look(address, name);
    const {entry, document, site} = offer;
    const former = (await buyer.owned()).filter(one => one.site === site.origin && one.name === document.name);
    const isNewer = former.every(({as_of}) => as_of < entry.as_of);
    if (!owned && isNewer) onBought(await buyer.buy(address, name));
    else refuse(rewriteFaults);
  }

  let reported = '';
  while (!stop.signal.aborted) {
    const fault = await buyIfNewer().then(() => '', expectedLines);
    if (fault !== reported && fault !== '') terminal.err.write(`${fault}\n`);
    reported = fault;
    // `sleep` rejects only if it is aborted.
    await sleep(seconds * 1000, undefined, stop).catch(() => undefined);
  }
  return stopped;
}

function expectedLines(error: unknown): string {
  const lines = linesOf(error);
  if (lines === undefined) throw error;
  return lines;
}
