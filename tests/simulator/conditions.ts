import type {Random} from './random.ts';

export type Conditions = Readonly<ReturnType<typeof conditionsOf>>;

/** Draws the actors and the frequencies of faults, from 0 to 1. */
export function conditionsOf(random: Random) {
  // Rare faults find as many errors as frequent ones, because with frequent ones most attempts fail.
  const rate = (most: number) => (random.chance(0.5) ? 0 : (random.integer(1, 1000) / 1000) ** 2 * most);
  const hasNode = random.chance(0.8);
  /** True if the gates are Workers with a Durable Object. Otherwise they are processes with a SQLite file. */
  const areWorkers = random.chance(0.3);
  /** True if the gates settle themselves, which needs a node. */
  const settles = hasNode && random.chance(0.12);
  return {
    /** The time with faults in milliseconds. After it all faults stop. */
    faultsMs: 180_000,
    gates: random.integer(1, 3),
    buyers: random.integer(1, 8),
    intentsPerBuyer: random.integer(1, 20),
    cheats: random.integer(0, 2),
    thieves: random.integer(0, 1),
    ...{hasNode, settles, areWorkers},
    /** True if the host knows that a client received the last byte, as Node does, but not Workers. */
    knowsDelivery: !areWorkers && random.chance(0.5),
    facilitatorFaults: rate(0.8),
    nodeFaults: rate(0.4),
    ledgerFaults: rate(0.1),
    deaths: rate(0.02),
    /** The frequency of power failures in ten seconds. */
    powerFailures: areWorkers ? 0 : rate(0.3),
    /** The frequency with which a process is stopped and replaced in ten seconds. */
    stops: rate(0.3),
    reorganisations: rate(0.1),
    hangUps: rate(0.5),
    /** How far the clock of every second gate is wrong. */
    clockSkewMs: random.integer(-5_000, 5_000),
    newBuilds: random.chance(0.3),
    /** True if one of the products is a pass for later snapshots. */
    passes: random.chance(0.5),
    /** The frequency with which a buyer downloads a bought document again. */
    downloads: rate(0.4),
    refunds: rate(0.3),
    /** The frequency with which a transaction of the settler is lost, or the publisher uses the settler's key. */
    settlerFaults: rate(0.1),
    frozenBuyers: random.chance(0.15) ? random.integer(1, 2) : 0,
    /** True if many clients without money pay at the same time, and hang up. */
    flood: random.chance(0.1),
    /** True if clocks jump: a wrong one becomes right, and a right one wrong. */
    clockJumps: random.chance(0.25),
  };
}
