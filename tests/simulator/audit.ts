import {OPEN, type Sale} from '../../paywall/ledger/sale.ts';
import {keyOf} from './chain.ts';
import {callOf} from './facilitator.ts';
import {BASE_URL} from './site.ts';
import type {World} from './world.ts';

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
  const paid = new Map(
    sales.filter(({state}) => known.includes(state)).map(sale => [keyOf(sale.payer, sale.nonce), sale]),
  );
  for (const {payer, nonce} of charges)
    if (!paid.has(keyOf(payer, nonce))) {
      const sale = sales.find(sale => keyOf(sale.payer, sale.nonce) === keyOf(payer, nonce));
      // It becomes settled once another open sale of its payer is over.
      if (sales.some(other => other.payer === sale?.payer && other.url === sale.url && OPEN.includes(other.state)))
        continue;
      world.violate(
        `the charge ${nonce} of ${payer} is ${sale ? `${sale.state} (${sale.reason})` : 'not'} in the ledger`,
      );
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
  for (const {payer, path, received} of world.intents)
    if (received === undefined) world.violate(`${payer} never received ${path}`);
    else world.noteDelivery(payer, path, received);
  for (const payer of new Set(world.intents.map(intent => intent.payer)))
    for (const path of new Set(world.intents.filter(intent => intent.payer === payer).map(intent => intent.path))) {
      const intents = world.intents.filter(intent => intent.payer === payer && intent.path === path);
      const nonces = intents.flatMap(intent => intent.nonces.map(nonce => keyOf(payer, nonce)));
      const count = charges.filter(charge => nonces.includes(keyOf(charge.payer, charge.nonce))).length;
      // Unless the ledger or a process failed, or the host does not know what arrived, a document is collected once for a charge.
      const {knowsDelivery, deaths, ledgerFaults} = world.conditions;
      const paid = nonces.filter(nonce => world.everPaid.has(nonce)).length;
      if (knowsDelivery && deaths === 0 && ledgerFaults === 0 && paid < intents.length)
        world.violate(`${payer} received ${path} ${intents.length} times and was charged ${paid} times`);
      // Without a node, an authorization that expired without an answer may have paid. The ledger says so.
      const doubtful = sales.filter(sale => isOf(sale, payer) && sale.state === 'indeterminate').length;
      const refunded = sales.filter(sale => isOf(sale, payer) && sale.refund !== null).length;
      if (count > intents.length + doubtful + refunded)
        world.violate(`${payer} wanted ${path} ${intents.length} times and was charged ${count} times`);
    }
}

function isOf({payer}: Sale, account: string): boolean {
  return payer === account.toLowerCase();
}

function chargesIn({chain, payTo}: World): Charge[] {
  const mined = chain.blocks.flatMap(block => block.mined).filter(({isSuccess}) => isSuccess);
  return mined.flatMap(({transaction: {call}}) => {
    if (call.kind !== 'transfer' || call.authorization.to !== payTo) return [];
    return [{payer: call.authorization.from, nonce: call.authorization.nonce}];
  });
}
