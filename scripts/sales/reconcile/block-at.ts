import type {Block, ChainNode} from './node.ts';

/** Returns the number of the last block, up to `final`, not later than a time in milliseconds since 1970; 0 if there is none. */
export async function blockAt(moment: number, node: ChainNode, final: Block): Promise<number> {
  const isBefore = (block: Block | undefined) => !block || block.timestamp * 1000 <= moment;
  if (isBefore(final)) return final.number;
  let [before, behind] = [0, final.number];
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    if (isBefore(await node.block(middle))) before = middle;
    else behind = middle;
  }
  return before;
}
