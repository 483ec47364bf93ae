import type {Random} from './random.ts';

/** The frequencies of faults, from 0 to 1, and the actors. Drawn from the seed. */
export interface Conditions {
  readonly gates: number;
  readonly buyers: number;
  readonly intentsPerBuyer: number;
  /** Buyers that run `frozen buy`. */
  readonly frozenBuyers: number;
  readonly cheats: number;
  readonly thieves: number;
  /** True if the gates have a node of the chain. */
  readonly hasNode: boolean;
  /** True if the gates settle themselves, which needs a node. */
  readonly settles: boolean;
  /** True if the gates are Workers with a Durable Object. Otherwise they are processes with a SQLite file. */
  readonly areWorkers: boolean;
  readonly knowsDelivery: boolean;
  /** True if all signatures are real, which takes longer. Forged ones are always real. */
  readonly hasRealKeys: boolean;
  readonly facilitatorFaults: number;
  readonly nodeFaults: number;
  readonly ledgerFaults: number;
  readonly deaths: number;
  /** The frequency of power failures in ten seconds. */
  readonly powerFailures: number;
  /** The frequency with which a process is stopped and replaced in ten seconds. */
  readonly stops: number;
  readonly reorganisations: number;
  readonly hangUps: number;
  /** True if many clients without money pay at the same time, and hang up. */
  readonly flood: boolean;
  readonly clockSkewMs: number;
  readonly newBuilds: boolean;
  /** True if one of the products is a pass for later snapshots. */
  readonly passes: boolean;
  /** The frequency with which a buyer downloads a bought document again. */
  readonly downloads: number;
  /** The frequency of refunds by the publisher. */
  readonly refunds: number;
  /** The frequency with which a transaction of the settler is lost, or the publisher uses the settler's key. */
  readonly settlerFaults: number;
}

export function conditionsOf(random: Random): Conditions {
  // Rare faults find as many errors as frequent ones, because with frequent ones most attempts fail.
  const rate = (most: number) => (random.chance(0.5) ? 0 : (random.integer(1, 1000) / 1000) ** 2 * most);
  const [hasNode, areWorkers] = [random.chance(0.8), random.chance(0.3)];
  const settles = hasNode && random.chance(0.12);
  return {
    gates: random.integer(1, 3),
    buyers: random.integer(1, 8),
    intentsPerBuyer: random.integer(1, 24),
    cheats: random.integer(0, 2),
    thieves: random.integer(0, 1),
    ...{hasNode, settles, areWorkers},
    knowsDelivery: !areWorkers && random.chance(0.5),
    hasRealKeys: random.chance(0.03),
    facilitatorFaults: rate(0.8),
    nodeFaults: rate(0.4),
    ledgerFaults: rate(0.1),
    deaths: rate(0.02),
    powerFailures: areWorkers ? 0 : rate(0.3),
    stops: rate(0.3),
    reorganisations: rate(0.1),
    hangUps: rate(0.5),
    clockSkewMs: random.integer(-5_000, 5_000),
    newBuilds: random.chance(0.3),
    passes: random.chance(0.5),
    downloads: rate(0.4),
    refunds: rate(0.3),
    settlerFaults: rate(0.1),
    frozenBuyers: random.chance(0.15) ? random.integer(1, 2) : 0,
    flood: random.chance(0.1),
  };
}
