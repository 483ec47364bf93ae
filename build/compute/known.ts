import {isFrozen} from '../read/stamps.ts';
import type {Inputs} from './compute.ts';
import {plannedFreezes, type PlannedProduct} from '../products/moments.ts';

/** What an earlier build made of a product, where nothing that it was made of has changed. */
export type Recall<T> = (plan: PlannedProduct) => Promise<T | undefined>;

/**
 * The products that need not be computed: those that are recalled, if their freezes still have the bytes that they had. A freeze that
 * must be read for another product is read for all.
 */
export async function knownOf<T>(
  inputs: Inputs,
  planned: readonly PlannedProduct[],
  recall: Recall<T>,
): Promise<ReadonlyMap<PlannedProduct, T>> {
  // All at once: what they wait for, the look at the last build's outputs, goes on meanwhile.
  const recalled = await Promise.all(planned.map(async plan => [plan, await recall(plan)] as const));
  const known = new Map(recalled.flatMap(([plan, made]) => (made === undefined ? [] : [[plan, made]])));
  dropNeighbours(planned, known);
  for (const freeze of new Set([...known.keys()].flatMap(plan => [...plannedFreezes(plan)]))) {
    if (await isFrozen(inputs.root, freeze, inputs.onFreeze(freeze))) continue;
    for (const plan of known.keys()) if (plannedFreezes(plan).has(freeze)) known.delete(plan);
  }
  dropNeighbours(planned, known);
  return known;
}

function dropNeighbours(planned: readonly PlannedProduct[], known: Map<PlannedProduct, unknown>): void {
  let before: number;
  do {
    before = known.size;
    const read = new Set(planned.filter(plan => !known.has(plan)).flatMap(plan => [...plannedFreezes(plan)]));
    for (const plan of known.keys()) if ([...plannedFreezes(plan)].some(freeze => read.has(freeze))) known.delete(plan);
  } while (known.size < before);
}
