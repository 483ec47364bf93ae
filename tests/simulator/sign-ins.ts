import {encodeSIWxHeader, SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import {hashMessage, type Address} from 'viem';
import {createSiweMessage} from 'viem/siwe';
import {SHA256_HEADER} from '../../shared/payment-protocol.ts';
import {sha256} from '../../paywall/site/documents.ts';
import {sleep} from '../../paywall/payments/services.ts';
import {decoded} from '../paywall/hand-made.ts';
import {completed} from '../paywall/sign-in.ts';
import type {Intent} from './buyers.ts';
import {CHAIN_ID, type Account} from './keys.ts';
import {salesTo} from './site.ts';
import type {World} from './world.ts';

/** Downloads a document again that its buyer received, until it arrives or the gate says that it does not have it any more. */
export async function downloadAgain(world: World, account: Account, {path, received = ''}: Intent): Promise<void> {
  const digest = await sha256(Buffer.from(received));
  const salesNow = async () => salesTo(account.address, path, await world.ledger.list({limit: 10_000}));
  if (world.random.chance(world.conditions.refunds))
    for (const {key} of await salesNow()) await world.ledger.refund(key, world.random.hex(32));
  for (;;) {
    const isRefunded = (await salesNow()).every(({refund}) => refund !== null);
    const {header = '', answer} = await signIn(world, account.address, account, path, digest);
    if (answer?.status === 200) {
      if (isRefunded) world.violate(`${account.address} has its money back, and received ${path}`);
      if (answer.text !== received) world.violate(`${account.address} received other bytes of ${path} than it bought`);
      world.usedSignIns.push({header, path, digest});
      return;
    }
    // The money was returned, or the chain took it back.
    if (answer?.status === 402) return;
    if (answer?.status === 410)
      world.violate(`${account.address} bought ${path}, and the gate does not have it any more`);
    await sleep(world.random.integer(500, 10_000));
  }
}

/** Signs in for the document that is for sale, as the holder of a pass does. */
export async function collectBySignIn(world: World, account: Account, path: string): Promise<void> {
  const {answer} = await signIn(world, account.address, account, path);
  if (answer?.status === 200) world.noteDelivery(account.address, path, answer.text, true);
}

/** Tries to get documents with sign-ins of others: used ones, those for another document, and forged ones. */
export async function stealBySignIn(world: World, thief: Account, paths: readonly string[]): Promise<void> {
  const {random} = world;
  while (!world.isEnding) {
    await sleep(random.integer(2_000, 20_000));
    const used = world.usedSignIns.length > 0 ? random.pick(world.usedSignIns) : undefined;
    const path = used && random.chance(0.5) ? used.path : random.pick(paths);
    const {answer} =
      used && random.chance(0.6)
        ? {answer: await world.get(path, {[SIGN_IN_WITH_X]: used.header, [SHA256_HEADER]: used.digest})}
        : await signIn(world, random.pick(world.accounts).address, thief, path, used?.digest);
    if (answer?.status === 200) world.violate(`a thief received ${path} with a sign-in: ${answer.text}`);
  }
}

/** Signs in as an address with the key of an account, for the document with a digest or for the one that is for sale. */
async function signIn(world: World, address: Address, {sign}: Account, path: string, digest?: string) {
  const challenge = await world.get(path);
  if (challenge?.status !== 402) return {};
  const info = completed(decoded(challenge, 'PAYMENT-REQUIRED'));
  const times = {issuedAt: new Date(info.issuedAt), expirationTime: new Date(info.expirationTime ?? 0)};
  const siwe = {...info, ...times, notBefore: undefined, version: '1', address, chainId: CHAIN_ID} as const;
  const signature = sign(hashMessage(createSiweMessage(siwe)));
  const header = encodeSIWxHeader({...info, address, signature});
  const document = digest === undefined ? undefined : {[SHA256_HEADER]: digest};
  return {header, answer: await world.get(path, {[SIGN_IN_WITH_X]: header, ...document})};
}

/** Records refunds of sales now and then, as the publisher does. A second refund, and one for two sales, are mistakes. */
export async function refundSometimes(world: World): Promise<void> {
  const {random} = world;
  while (!world.isEnding) {
    await sleep(random.integer(5_000, 40_000));
    if (!world.isFaulty || !random.chance(world.conditions.refunds)) continue;
    const paid = await world.ledger.list({states: ['settled', 'delivered'], limit: 10_000});
    const open = paid.filter(({refund}) => refund === null);
    if (open.length === 0) continue;
    const {key} = random.pick(open);
    world.trace(() => `the publisher refunds ${key}`);
    const transaction = random.hex(32);
    await world.ledger.refund(key, transaction);
    if (await world.ledger.refund(key, random.hex(32))) world.violate(`${key} has two refunds`);
    const other = paid.find(sale => sale.key !== key);
    if (other && (await world.ledger.refund(other.key, transaction)))
      world.violate(`one transaction refunds ${key} and ${other.key}`);
  }
}
