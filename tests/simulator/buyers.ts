import {getAddress, type Address} from 'viem';
import {CONTRACT_REFUSALS} from '../../paywall/settler/order.ts';
import {sleep} from '../../paywall/payments/services.ts';
import {decoded, type Challenge} from '../paywall/hand-made.ts';
import type {Transfer} from './chain.ts';
import type {Answer} from './gate.ts';
import {digestOf, quickKey, type Account, type Authorization} from './keys.ts';
import type {World} from './world.ts';

/** A document that a buyer wants, and the result so far. */
export interface Intent {
  readonly payer: Address;
  readonly path: string;
  /** Nonces of the authorizations that the buyer signed for it. */
  nonces: string[];
  /** When the buyer last signed for it. */
  signedAt?: number;
  /** The text that the buyer received, and when. */
  received?: string;
  receivedAt?: number;
  /** Set if the gate sells nothing to this contract wallet for a day, because one of its transactions was reverted. */
  isRefused?: boolean;
}

/** A signed payment, and its header PAYMENT-SIGNATURE. */
type Signed = Transfer & {readonly header: string};

/** A buyer without a document signs again, repeats its payment under an idempotency key, or sends two payments at once, as two clicks do. */
type Habit = 'stock' | 'named' | 'double';

/** Why an honest payment is refused: the terms have changed, it is late or was used, or the settler pays no gas for its contract wallet. */
const TRUE_REFUSALS =
  /No matching payment requirements|document_changed|valid_before|never settled|nonce_already_used|contract_wallet/;

/** Buys a document like a client that does not give up. */
export async function buy(world: World, account: Account, intent: Intent, habit: Habit): Promise<void> {
  const {random} = world;
  // Most clients obey Retry-After.
  const [isPatient, startedAt] = [random.chance(0.75), Date.now()];
  let payment: Signed | undefined;
  for (;;) {
    const isValid = Number(payment?.authorization.validBefore) > Date.now() / 1000 + 10;
    if (habit !== 'named' || !isValid)
      payment = await pay(world, account, intent, habit === 'named' ? random.uuid() : undefined);
    const answer = payment && (await answerTo(world, account, intent, payment, habit));
    if (answer?.status === 200) {
      [intent.received, intent.receivedAt] = [answer.text, Date.now()];
      world.trace(() => `${account.address} received ${intent.path}`);
      return;
    }
    if (answer?.status === 402 && !TRUE_REFUSALS.test(challengeIn(answer).error))
      world.violate(`${account.address} can pay, and is refused: ${challengeIn(answer).error}`);
    if (answer?.text.includes(CONTRACT_REFUSALS.reverted)) {
      intent.isRefused = true;
      return;
    }
    // A refused payment is not sent again. After no answer, or 503, a payment with a name may have been settled.
    if (answer && answer.status < 500) payment = undefined;
    const retryAfter = isPatient ? Number(answer?.headers.get('Retry-After')) : 0;
    // A client without an answer may have crashed, and comes back while it can still collect the document.
    const isAway = !answer && Date.now() < startedAt + 30_000 && world.isFailing(0.5);
    await sleep(retryAfter * 1_000 + random.integer(200, 5_000) + (isAway ? random.integer(60_000, 200_000) : 0));
  }
}

/** The answer to a payment, or to the better of two. */
async function answerTo(world: World, account: Account, intent: Intent, payment: Signed, habit: Habit) {
  const other = habit === 'double' && world.random.chance(0.5) ? await pay(world, account, intent) : undefined;
  const payments = habit === 'double' ? [payment, other ?? payment] : [payment];
  const answers = await Promise.all(payments.map(({header}) => world.get(intent.path, {'PAYMENT-SIGNATURE': header})));
  return answers.find(answer => answer?.status === 200) ?? answers[0];
}

/** Requests the terms of a document and signs them, with an idempotency key if there is one. */
async function pay(world: World, account: Account, intent: Pick<Intent, 'path' | 'nonces' | 'signedAt'>, id?: string) {
  const answer = await world.get(intent.path);
  if (answer?.status !== 402) return undefined;
  const signed = sign(world, account, challengeIn(answer), id);
  intent.nonces.push(signed.authorization.nonce);
  intent.signedAt = Date.now();
  return signed;
}

/** Signs the terms of a 402, as the scheme `exact` on EVM describes. */
function sign(world: World, account: Account, challenge: Challenge, id?: string): Signed {
  const {amount, payTo, maxTimeoutSeconds} = challenge.accepts[0] as Challenge['accepts'][number];
  const authorization: Authorization = {
    from: account.address,
    to: getAddress(payTo),
    value: BigInt(amount),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + maxTimeoutSeconds),
    nonce: world.random.hex(32),
  };
  const payment: Transfer = {kind: 'transfer', authorization, signature: account.sign(digestOf(authorization))};
  return {...payment, header: headerOf(challenge, payment, id)};
}

const challengeIn = (answer: Answer) => decoded(answer, 'PAYMENT-REQUIRED') as Required<Challenge>;

/** The header PAYMENT-SIGNATURE with a signed authorization for the terms of a 402. */
function headerOf({resource, accepts}: Challenge, {authorization, signature}: Transfer, id?: string): string {
  const extensions = id === undefined ? undefined : {'payment-identifier': {info: {required: false, id}}};
  const payment = {x402Version: 2, resource, accepted: accepts[0], payload: {signature, authorization}, extensions};
  const text = JSON.stringify(payment, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return Buffer.from(text).toString('base64');
}

/** A buyer that takes its money back. Sometimes it pays for several documents at the same time under one idempotency key. */
export async function cheat(world: World, account: Account, paths: readonly string[]): Promise<void> {
  const {random} = world;
  const path = random.pick(paths);
  while (!world.isEnding) {
    // All cheats use the same idempotency keys.
    const id = random.chance(0.5) ? `cheat-with-the-key-${random.integer(1, 3)}` : undefined;
    await Promise.all((random.chance(0.1) ? paths : [path]).map(each => payAndTakeBack(world, account, each, id)));
    await sleep(random.integer(1_000, 40_000));
  }
}

/** Pays, and cancels the authorization, or spends its nonce on the account itself, while the gate settles. */
async function payAndTakeBack(world: World, account: Account, path: string, id: string | undefined): Promise<void> {
  const {random, chain} = world;
  const payment = await pay(world, account, {path, nonces: []}, id);
  if (!payment) return;
  const asking = world.get(path, {'PAYMENT-SIGNATURE': payment.header});
  await sleep(random.integer(0, 4_000));
  const wallet = chain.wallets.get(payment.authorization.from.toLowerCase());
  if (wallet && random.chance(0.4)) wallet.isClosed = true;
  else if (random.chance(0.5)) chain.broadcast({kind: 'cancel', authorization: payment.authorization});
  else {
    const authorization = {...payment.authorization, to: account.address};
    chain.broadcast({kind: 'transfer', authorization, signature: account.sign(digestOf(authorization))});
  }
  const answer = await asking;
  if (wallet) wallet.isClosed = false;
  if (answer?.status === 200) world.noteDelivery(account.address, path, answer.text);
}

/** More payments than a gate verifies at a time, and how often. */
const [FLOOD, WAVES] = [50, 3];

/** Sends payments of many accounts without money, and hangs up while they are verified. A Worker that runs out of time stops them. */
export async function flood(world: World, path: string): Promise<void> {
  const {random} = world;
  const answer = await world.get(path);
  if (answer?.status !== 402) return;
  const challenge = challengeIn(answer);
  for (let wave = 0; wave < WAVES; wave++) {
    for (const gate of world.gates)
      for (let count = 0; count < FLOOD; count++) {
        const {header} = sign(world, quickKey(random), challenge);
        void gate.get(path, {'PAYMENT-SIGNATURE': header}, random.integer(1, 5), 0).then(answer => {
          if (answer?.status === 200) world.violate(`an account without money received ${path}`);
        });
      }
    await sleep(100);
  }
}

/** Tries to get a document with payments of others: those in the mempool and in blocks, and made-up signatures. */
export async function steal(world: World, thief: Account, paths: readonly string[]): Promise<void> {
  const {random, chain} = world;
  const challenges = new Map<string, Answer>();
  while (!world.isEnding) {
    await sleep(random.integer(500, 24_000));
    const path = random.pick(paths);
    const offer = challenges.get(path) ?? (await world.get(path));
    if (offer?.status !== 402) continue;
    // The terms change with a new build only.
    challenges.set(path, offer);
    if (random.chance(0.1)) challenges.delete(path);
    const id = random.chance(0.5) ? random.uuid() : undefined;
    // The newest payment may still be open.
    const seen = random.chance(0.5) ? chain.seen.slice(-1) : chain.seen;
    const copied = seen.length > 0 && random.chance(0.7) ? random.pick(seen) : undefined;
    const challenge = challengeIn(offer);
    const header = headerOf(challenge, copied ?? forged(world, thief, challenge), id);
    // A thief can also have the copied authorization settled before the gate does.
    if (copied && random.chance(0.3)) chain.broadcast(copied, {isPrivate: true});
    const answer = await world.get(path, {'PAYMENT-SIGNATURE': header});
    if (answer?.status === 200) world.violate(`a thief received ${path}: ${answer.text}`);
  }
}

/** A payment in another account's name. */
function forged(world: World, thief: Account, challenge: Challenge): Transfer {
  const {random} = world;
  const victims = world.accounts.filter(({address}) => address !== thief.address);
  const address = victims.length > 0 ? random.pick(victims).address : random.hex(20);
  const payment = sign(world, {...thief, address}, challenge);
  return {...payment, signature: random.pick([payment.signature, random.hex(random.pick([65, 200, 200, 200]))])};
}
