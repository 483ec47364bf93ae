import {saleRecordSchema} from '../../paywall/ledger/sale-record.ts';
import {OPEN, type Sale} from '../../paywall/ledger/sale.ts';
import {DEFAULT_LIMITS} from '../../paywall/payments/limits.ts';
import {chainNodeAt} from '../../scripts/sales/reconcile/node.ts';
import {compare} from '../../scripts/sales/reconcile/reconcile.ts';
import type {Intent} from './buyers.ts';
import {chargesIn, keyOf, type Mined} from './chain.ts';
import {callOf, type Payload} from './facilitator.ts';
import {digestOf, NETWORK, type Authorization} from './keys.ts';
import {asOf, pathOf, salesTo} from './site.ts';
import {PASS, type World} from './world.ts';

/** For how long a host that does not know what arrived sends a document again: five minutes, and the time of an answer. */
const COLLECTED_FOR_MS = 310_000;

const {MAX_VERIFICATIONS, MAX_CONTRACT_VERIFICATIONS, MAX_WAITING, MAX_DOWNLOADS} = DEFAULT_LIMITS;
const SLOTS = MAX_VERIFICATIONS + MAX_CONTRACT_VERIFICATIONS + MAX_WAITING + MAX_DOWNLOADS;

const PAID: readonly string[] = ['settled', 'delivered', 'expired'];

/** Compares chain, ledger and clients at the end of a simulation, after all faults have stopped and the chain is final. */
export async function audit(world: World): Promise<void> {
  const {chain, payees, everPaid} = world;
  const sales = await world.ledger.list({limit: 10_000});
  const mined = chain.blocks.flatMap(block => block.mined);
  const charges = chargesIn(mined, payees);
  checkLedger(world, sales, charges);
  checkIntents(world, sales, charges);
  if (world.conditions.passes) checkPasses(world, sales);
  checkGas(world, mined);
  for (const {payer, payload, isProven} of sales) {
    const {authorization, signature} = callOf((JSON.parse(payload) as {payload: Payload}).payload);
    if (isProven && !chain.isSignatureOf(payer, digestOf(authorization), signature))
      world.violate(`${payer} did not sign its sale`);
  }
  const names = sales.flatMap(({paymentId}) => paymentId ?? []);
  if (new Set(names).size < names.length) world.violate('two sales have the same idempotency key');
  if (world.random.chance(0.2)) {
    await checkReconciliation(world, sales, charges);
    for (const gate of world.gates)
      if (gate.fill() < SLOTS) world.violate(`a counter of ${gate.name} does not return to zero`);
  }
  for (const {payer, path} of world.deliveries)
    if (!salesTo(payer, path, sales).some(sale => everPaid.has(keyOf(payer, sale.nonce))))
      world.violate(`${payer} received ${path} and never paid`);
}

/** `frozen sales --reconcile` reports each charge without a paid sale, each paid sale without a charge, and all refunds, which are made up. */
async function checkReconciliation(world: World, sales: readonly Sale[], charges: readonly Authorization[]) {
  const records = sales.map(sale => saleRecordSchema.parse(sale));
  const {findings} = await compare({
    ledger: {
      name: 'ledger',
      sales: async function* () {
        yield* await Promise.resolve(records);
      },
      close: () => Promise.resolve(),
    },
    node: chainNodeAt(world.network.serve('publisher.node', world.answerNode)),
    payees: world.payees.map(pay_to => ({network: NETWORK, pay_to})),
  });
  const charged = new Set(charges.map(({from, nonce}) => keyOf(from, nonce)));
  const expected = records.flatMap(({key, payer, nonce, state, refund, leasedUntil, readAt}) => {
    const [isPaid, isCharged] = [PAID.includes(state), charged.has(keyOf(payer, nonce))];
    const isOpen = refund !== null || (state === 'pending' && leasedUntil >= readAt);
    return [
      ...(isPaid && !isCharged ? [`sale without money ${key}`] : []),
      ...(!isPaid && isCharged && !isOpen ? [`money of a closed sale ${key}`] : []),
      ...(refund === null ? [] : [`refund not on the chain ${key}`]),
    ];
  });
  // Another transaction can have settled a payment whose first one was taken back.
  const reported = findings.flatMap(({kind, sale}) =>
    kind === 'wrong transaction' ? [] : `${kind} ${sale?.key ?? ''}`,
  );
  const isNotIn = (list: readonly string[]) => (each: string) => !list.includes(each);
  const difference = expected.find(isNotIn(reported)) ?? reported.find(isNotIn(expected));
  if (difference !== undefined) world.violate(`frozen sales --reconcile is wrong about: ${difference}`);
}

/** Every charge is in the ledger as paid, and every paid sale is on the chain. */
function checkLedger(world: World, sales: readonly Sale[], charges: readonly Authorization[]): void {
  // Without a node, a payment without an answer stays open for a day and is then indeterminate, and the publisher sees it.
  const known = world.conditions.hasNode ? PAID : [...PAID, 'indeterminate', 'pending'];
  const byKey = new Map(sales.map(sale => [keyOf(sale.payer, sale.nonce), sale]));
  const charged = new Set(charges.map(({from, nonce}) => keyOf(from, nonce)));
  for (const {from, nonce} of charges) {
    const sale = byKey.get(keyOf(from, nonce));
    if (sale && known.includes(sale.state)) continue;
    // It becomes settled once another open sale of its payer ends.
    if (sales.some(each => each.payer === sale?.payer && each.url === sale.url && OPEN.includes(each.state))) continue;
    const state = sale ? `${sale.state} (${sale.reason})` : 'not';
    world.violate(`the charge ${nonce} of ${from} is ${state} in the ledger`);
  }
  const {knowsDelivery, reorganisations} = world.conditions;
  for (const [name, sale] of byKey) {
    const {key, payer, nonce, state, leasedUntil, readAt} = sale;
    if (world.conditions.hasNode && PAID.includes(state) && !charged.has(name))
      world.violate(`the sale ${nonce} of ${payer} is ${state}, and the chain has no such charge`);
    if (leasedUntil > readAt) world.violate(`the lease of ${key} never ends`);
    // A host that does not know what arrived sends a document again for five minutes, and charges nothing.
    if (!knowsDelivery && reorganisations === 0 && sales.some(other => isRepeat(other, sale)))
      world.violate(`the sale ${nonce} of ${payer} started soon after its document was sent`);
  }
}

function isRepeat({payer, url, state, deliveredAt, refund}: Sale, {startedAt, ...other}: Sale): boolean {
  const isSoon = deliveredAt !== null && startedAt > deliveredAt && startedAt < deliveredAt + 290_000;
  const arePaid = refund === null && [state, other.state].every(each => PAID.includes(each));
  return isSoon && arePaid && payer === other.payer && url === other.url;
}

/** Every honest buyer has what it wanted, for one charge each. */
function checkIntents(world: World, sales: readonly Sale[], charges: readonly Authorization[]): void {
  const wanted = new Map<string, Intent[]>();
  const charged = new Set(charges.map(({from, nonce}) => keyOf(from, nonce)));
  for (const intent of world.intents) {
    const {payer, path, received, isRefused} = intent;
    wanted.set(`${payer} ${path}`, [...(wanted.get(`${payer} ${path}`) ?? []), intent]);
    if (isRefused) continue;
    if (received === undefined) world.violate(`${payer} never received ${path}`);
    else world.noteDelivery(payer, path, received);
  }
  const {passes, knowsDelivery, hasNode, nodeFaults, reorganisations} = world.conditions;
  // Requests extend the time while the node fails, and it begins again if the chain takes a charge back and repeats it.
  const collectedForMs = hasNode && nodeFaults + reorganisations > 0 ? Infinity : COLLECTED_FOR_MS;
  for (const [key, intents] of wanted) {
    const [payer = '', path = ''] = key.split(' ');
    const nonces = new Set(intents.flatMap(intent => intent.nonces.map(nonce => keyOf(payer, nonce))));
    const paid = [...nonces].filter(nonce => world.everPaid.has(nonce)).length;
    const received = intents.filter(intent => intent.received !== undefined);
    const least = knowsDelivery ? received.length : leastCharges(received, collectedForMs);
    if (areDeliveriesRecorded(world) && !(passes && path === pathOf({name: PASS})) && paid < least)
      world.violate(`${payer} received ${path} ${received.length} times and was charged ${paid} times`);
    // Without a node, an authorization that expired without an answer may have paid. The ledger says so.
    const excused = salesTo(payer, path, sales).filter(sale => sale.state === 'indeterminate' || sale.refund !== null);
    const isCharged = (nonce: string) => charged.has(keyOf(payer, nonce));
    const surplus = intents.flatMap(intent => intent.nonces.filter(isCharged).slice(1)).length;
    if (surplus > excused.length) world.violate(`${payer} was charged again for ${path}, ${surplus} times`);
  }
}

/** A contract wallet makes the settler pay for at most one transaction a day that the chain reverts. */
function checkGas(world: World, mined: readonly Mined[]): void {
  const {chain, everPaid} = world;
  const reverted = new Map<string, string>();
  for (const {call, order, isSuccess} of mined) {
    if (isSuccess || !order || call.kind !== 'transfer') continue;
    const {from, nonce} = call.authorization;
    if (!chain.wallets.has(from.toLowerCase()) || everPaid.has(keyOf(from, nonce))) continue;
    const other = reverted.get(from) ?? nonce;
    if (other !== nonce) world.violate(`the settler paid for reverted transactions of ${from}: ${nonce}, ${other}`);
    reverted.set(from, nonce);
  }
}

/** A pass has the terms of its sale: its later snapshots are not sold again, and no further one is free. */
function checkPasses(world: World, sales: readonly Sale[]): void {
  const path = pathOf({name: PASS});
  for (const {address} of world.accounts) {
    const ofPayer = salesTo(address, path, sales);
    const paid = ofPayer.filter(({payer, nonce}) => world.everPaid.has(keyOf(payer, nonce)));
    const received = world.deliveries.filter(delivery => delivery.payer === address && delivery.path === path);
    const further = received.filter(({version}) => !paid.some(sale => includes(sale, asOf(version))));
    if (further.some(({isBySignIn}) => isBySignIn)) world.violate(`${address} received a snapshot beyond its passes`);
    if (world.conditions.knowsDelivery && areDeliveriesRecorded(world) && further.length > paid.length)
      world.violate(`${address} received ${further.length} snapshots beyond its passes, and paid ${paid.length} times`);
    // A sale is not a pass while the chain has taken its charge back.
    if (world.conditions.reorganisations > 0) continue;
    for (const pass of ofPayer.filter(
      sale => sale.laterSnapshots > 0 && sale.refund === null && PAID.includes(sale.state),
    ))
      if (paid.some(sale => (pass.settledAt ?? Infinity) < sale.startedAt && includes(pass, sale.asOf)))
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

/** The minimum charges for documents from a host that does not know what arrived: it sends a document again, also later for the same payment. */
function leastCharges(intents: readonly Intent[], collectedForMs: number): number {
  let [count, end] = [0, 0];
  const sorted = intents.toSorted(({receivedAt: a = 0}, {receivedAt: b = 0}) => a - b);
  for (const {signedAt = 0, receivedAt = 0} of sorted)
    if (signedAt > end) [count, end] = [count + 1, receivedAt + collectedForMs];
  return count;
}
