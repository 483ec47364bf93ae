import type {Block, ChainNode} from './node.ts';

/** The number of the last block up to `final` that was made before a moment, in milliseconds since 1970; 0 where none was. */
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
