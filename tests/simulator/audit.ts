import {OPEN, type Sale} from '../../paywall/ledger/sale.ts';
import type {Intent} from './buyers.ts';
import {keyOf} from './chain.ts';
import {callOf} from './facilitator.ts';
import {asOf, BASE_URL, pathOf} from './site.ts';
import {PASS, type World} from './world.ts';

/** A minute, and the time that an answer takes. */
const COLLECTED_FOR_MS = 70_000;

/** A transfer to the payee that used an authorization, in a block that stays. */
interface Charge {
  readonly payer: string;
  readonly nonce: string;
}

/** Compares chain, ledger and clients at the end of a simulation, after all faults have stopped and the chain is final. */
export async function audit(world: World): Promise<void> {
  const sales = await world.ledger.list({limit: 10_000});
  const charges = chargesIn(world);
  checkLedger(world, sales, charges);
  checkIntents(world, sales, charges);
  if (world.conditions.passes) checkPasses(world, sales);
  checkGas(world);
  for (const {payer, payload, isProven} of sales) {
    const {authorization, signature} = callOf((JSON.parse(payload) as {payload: Parameters<typeof callOf>[0]}).payload);
    if (isProven && !world.chain.isSigned(authorization, signature)) world.violate(`${payer} did not sign its sale`);
  }
  const names = sales.flatMap(({paymentId}) => paymentId ?? []);
  if (new Set(names).size < names.length) world.violate('two sales have the same idempotency key');
  for (const {payer, path} of world.deliveries) {
    const paid = sales.filter(
      sale => isOf(sale, payer) && sale.url === BASE_URL + path && world.everPaid.has(keyOf(payer, sale.nonce)),
    );
    if (paid.length === 0) world.violate(`${payer} received ${path} and never paid`);
  }
}

/** Every charge is in the ledger as paid, and every paid sale is on the chain. */
function checkLedger(world: World, sales: readonly Sale[], charges: readonly Charge[]): void {
  // Without a node, a payment without an answer stays open for a day and is then indeterminate, and the publisher sees it.
  const known = world.conditions.hasNode ? PAID : [...PAID, 'indeterminate', 'pending'];
  const settled = sales.filter(({state}) => known.includes(state));
  const paid = new Map(settled.map(sale => [keyOf(sale.payer, sale.nonce), sale]));
  for (const {payer, nonce} of charges) {
    if (paid.has(keyOf(payer, nonce))) continue;
    const sale = sales.find(each => keyOf(each.payer, each.nonce) === keyOf(payer, nonce));
    // It becomes settled once another open sale of its payer is over.
    if (sales.some(each => each.payer === sale?.payer && each.url === sale.url && OPEN.includes(each.state))) continue;
    const state = sale ? `${sale.state} (${sale.reason})` : 'not';
    world.violate(`the charge ${nonce} of ${payer} is ${state} in the ledger`);
  }
  const charged = new Set(charges.map(({payer, nonce}) => keyOf(payer, nonce)));
  for (const sale of paid.values())
    if (world.conditions.hasNode && !charged.has(keyOf(sale.payer, sale.nonce)))
      world.violate(`the sale ${sale.nonce} of ${sale.payer} is ${sale.state}, and the chain has no such charge`);
  for (const {key, leasedUntil, readAt} of sales)
    if (leasedUntil > readAt) world.violate(`the lease of ${key} never ends`);
}

const PAID: readonly string[] = ['settled', 'delivered', 'expired'];

/** Every honest buyer has what it wanted, for one charge each. */
function checkIntents(world: World, sales: readonly Sale[], charges: readonly Charge[]): void {
  for (const {payer, path, received, isRefused} of world.intents)
    if (isRefused) continue;
    else if (received === undefined) world.violate(`${payer} never received ${path}`);
    else world.noteDelivery(payer, path, received);
  for (const payer of new Set(world.intents.map(intent => intent.payer)))
    for (const path of new Set(world.intents.filter(intent => intent.payer === payer).map(intent => intent.path))) {
      const intents = world.intents.filter(intent => intent.payer === payer && intent.path === path);
      const {passes} = world.conditions;
      const nonces = intents.flatMap(intent => intent.nonces.map(nonce => keyOf(payer, nonce)));
      const count = charges.filter(charge => nonces.includes(keyOf(charge.payer, charge.nonce))).length;
      const paid = nonces.filter(nonce => world.everPaid.has(nonce)).length;
      const received = intents.filter(intent => intent.received !== undefined);
      const least = world.conditions.knowsDelivery ? received.length : leastCharges(received);
      if (areDeliveriesRecorded(world) && !(passes && path === pathOf({name: PASS})) && paid < least)
        world.violate(`${payer} received ${path} ${received.length} times and was charged ${paid} times`);
      // Without a node, an authorization that expired without an answer may have paid. The ledger says so.
      const doubtful = sales.filter(sale => isOf(sale, payer) && sale.state === 'indeterminate').length;
      const refunded = sales.filter(sale => isOf(sale, payer) && sale.refund !== null).length;
      if (count > intents.length + doubtful + refunded)
        world.violate(`${payer} wanted ${path} ${intents.length} times and was charged ${count} times`);
    }
}

/** A contract wallet makes the settler pay for at most one transaction a day that the chain reverts. */
function checkGas(world: World): void {
  const {chain, everPaid} = world;
  const reverted = new Map<string, string>();
  for (const {transaction, isSuccess} of chain.blocks.flatMap(block => block.mined)) {
    if (isSuccess || !transaction.order || transaction.call.kind !== 'transfer') continue;
    const {from, nonce} = transaction.call.authorization;
    const other = reverted.get(from) ?? nonce;
    if (!chain.wallets.has(from.toLowerCase()) || everPaid.has(keyOf(from, nonce))) continue;
    if (other !== nonce) world.violate(`the settler paid for reverted transactions of ${from}: ${nonce}, ${other}`);
    reverted.set(from, nonce);
  }
}

/** The terms of a pass are those of its sale: no further snapshot is free, and none that it includes is sold. */
function checkPasses(world: World, sales: readonly Sale[]): void {
  const url = BASE_URL + pathOf({name: PASS});
  for (const {address} of world.accounts) {
    const ofPayer = sales.filter(sale => isOf(sale, address) && sale.url === url);
    const paid = ofPayer.filter(({payer, nonce}) => world.everPaid.has(keyOf(payer, nonce)));
    const received = world.deliveries.filter(({payer, path}) => payer === address && BASE_URL + path === url);
    const further = received.filter(({version}) => !paid.some(sale => includes(sale, asOf(version))));
    if (further.some(({isBySignIn}) => isBySignIn)) world.violate(`${address} received a snapshot beyond its passes`);
    if (world.conditions.knowsDelivery && areDeliveriesRecorded(world) && further.length > paid.length)
      world.violate(`${address} received ${further.length} snapshots beyond its passes, and paid ${paid.length} times`);
    // A sale is not a pass while the chain has taken its charge back.
    if (world.conditions.reorganisations > 0) continue;
    for (const pass of ofPayer)
      for (const sale of paid)
        if (pass.settledAt !== null && pass.settledAt < sale.startedAt && pass.refund === null)
          if (pass.laterSnapshots > 0 && PAID.includes(pass.state) && includes(pass, sale.asOf))
            world.violate(`${address} paid for a snapshot that its pass includes`);
  }
}

function includes({asOf: first, laterSnapshots}: Sale, snapshot: string): boolean {
  const days = (Date.parse(snapshot) - Date.parse(first)) / 86_400_000;
  return days >= 0 && days <= laterSnapshots;
}

/** Unless the ledger or a process failed, a document can be collected once for a charge, or as long as it may not have arrived. */
function areDeliveriesRecorded({conditions: {deaths, powerFailures, ledgerFaults}}: World): boolean {
  return deaths === 0 && powerFailures === 0 && ledgerFaults === 0;
}

/**
 * The minimum charges for the documents that a payer received from a host that does not know what arrived. It sends a document again for a
 * minute.
 */
function leastCharges(intents: readonly Intent[]): number {
  let [count, end] = [0, 0];
  for (const at of intents.map(({receivedAt = 0}) => receivedAt).sort((a, b) => a - b))
    if (at > end) [count, end] = [count + 1, at + COLLECTED_FOR_MS];
  return count;
}

function isOf({payer}: Sale, account: string): boolean {
  return payer === account.toLowerCase();
}

function chargesIn({chain, payees}: World): Charge[] {
  const mined = chain.blocks.flatMap(block => block.mined).filter(({isSuccess}) => isSuccess);
  return mined.flatMap(({transaction: {call}}) => {
    if (call.kind !== 'transfer' || !payees.includes(call.authorization.to)) return [];
    return [{payer: call.authorization.from, nonce: call.authorization.nonce}];
  });
}
