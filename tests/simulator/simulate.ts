import {createPublicClient, custom} from 'viem';
import {LEASE_MS} from '../../paywall/ledger/ledger.ts';
import {resetAssetContractCache} from '@x402/evm';
import {audit} from './audit.ts';
import {conditionsOf, type Conditions} from './conditions.ts';
import {openSimulatedLedger} from './ledger.ts';
import {Random} from './random.ts';
import {VirtualTime} from './virtual-time.ts';
import {World} from './world.ts';

export type Result = Awaited<ReturnType<typeof simulate>>;

/** After the faults have stopped, every buyer has its document within this time: an authorization lives five minutes. */
const LIVENESS_MS = 20 * 60_000;
/** In this time the chain becomes final, and every gate reconciles twice. */
const SETTLING_MS = 4 * 60_000;

// viem loads this module when a call fails, which would take real time in the first simulation of a process.
await createPublicClient({transport: custom({request: () => Promise.reject(new Error('no node'))})})
  .call({})
  .catch(() => undefined);

/** Runs a seed: a time with faults, a time without, and an audit. `changes` replace its conditions. A trace doubles its time. */
export async function simulate(seed: number, changes: Partial<Conditions> = {}, isTraced = false) {
  // From its source, import() takes turns of the event loop, for which virtual time does not wait.
  if (import.meta.filename.endsWith('.ts'))
    throw new TypeError('The simulator only runs compiled: use npm run simulate or npm test.');
  const random = new Random(seed);
  using time = new VirtualTime(new Random(seed));
  const conditions = {...conditionsOf(random), ...changes};
  const storage = await openSimulatedLedger(conditions.areWorkers);
  resetAssetContractCache();
  const world = new World(random, conditions, storage, isTraced);
  time.replace(globalThis, 'fetch', world.network.fetch);
  world.start();
  const isBroken = () => world.violation !== undefined;
  await time.runUntil(isBroken, conditions.faultsMs);
  world.stopFaults();
  await time.runUntil(() => isBroken() || world.waiting === 0, LIVENESS_MS);
  world.isEnding = true;
  await time.runUntil(isBroken, SETTLING_MS);
  // Each reconciliation leases a sale that cannot be settled while its payer has another open sale of the document.
  for (const gate of world.gates) gate.isReconciling = false;
  await time.runUntil(isBroken, LEASE_MS);
  // The other sale may have ended since then.
  if (!(await time.isDone(world.anyGate().reconcile()))) world.violate('a reconciliation never ends');
  await time.runUntil(isBroken, 2 * LEASE_MS);
  if (!(await time.isDone(audit(world)))) world.violate('the comparison with the chain never ends');
  world.network.close();
  const purchases = world.deliveries.filter(({isBySignIn}) => !isBySignIn).length;
  return {seed, conditions, purchases, violation: world.violation, events: world.events ?? []};
}
