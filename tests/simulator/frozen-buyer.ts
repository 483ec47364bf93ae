import {mkdirSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {hashMessage, hashTypedData} from 'viem';
import {sleep} from '../../paywall/payments/services.ts';
import {CONTRACT_REFUSALS} from '../../paywall/settler/order.ts';
import {NoAnswer, type Ask} from '../../buyer/buy/ask.ts';
import {Wallet} from '../../buyer/buy/authorize.ts';
import {dealOf, type Consent} from '../../buyer/buy/consent.ts';
import {offerOf, type Offer} from '../../buyer/buy/offer.ts';
import {Payments} from '../../buyer/buy/payments.ts';
import {purchase} from '../../buyer/buy/purchase.ts';
import {allOwned} from '../../buyer/buy/owned.ts';
import type {Examiner} from '../../buyer/verify/examiner.ts';
import {InputError} from '../../shared/fault.ts';
import {catalogueSchema} from '../../shared/shapes.ts';
import type {Intent} from './buyers.ts';
import type {Account} from './keys.ts';
import {BUYERS, workFor, WorkerRequest} from './requests.ts';
import {BASE_URL} from './site.ts';
import type {World} from './world.ts';

/** Does not read JSON, because the examiner of `frozen buy` is a separate process. */
const examiner = {examine: () => Promise.resolve({checks: []})} as unknown as Examiner;
const NO_LIMIT = 1e12;

/** Buys a document as `frozen buy` does, and runs it again until the document is there. The program may be killed at any await. */
export async function buyFrozen(world: World, {address, sign}: Account, intent: Intent): Promise<void> {
  const {random, rpcUrl} = world;
  const folder = join(BUYERS, address);
  mkdirSync(folder, {recursive: true});
  const wallet = new Wallet({
    address,
    signMessage: ({message}) => Promise.resolve(sign(hashMessage(message))),
    signTypedData: data => Promise.resolve(sign(hashTypedData(data))),
  });

  async function run(ask: Ask): Promise<void> {
    const {bytes} = await ask('/api/v1/index.json', {maxBytes: NO_LIMIT});
    const catalogue = catalogueSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
    const offer = await offerOf({origin: BASE_URL, ask, catalogue}, basename(intent.path));
    const payments = await Payments.read(folder);
    // It has consent to one snapshot only. A run after a kill may have collected an earlier one.
    const agree = async (now: Offer): Promise<Consent> => {
      if (await documentIn(folder, intent))
        throw new InputError({code: 'FZ610', file: intent.path, rule: 'is here already'});
      return {kind: 'terms', deal: dealOf(now)};
    };
    await purchase(offer, {wallet, payments, folder, examiner, agree, max: NO_LIMIT, budget: NO_LIMIT, rpcUrl});
  }

  while (intent.received === undefined && !intent.isRefused) {
    const program = new WorkerRequest();
    const ended = new Promise<undefined>(resolve => {
      program.onStep = () => {
        if (!world.isFailing(world.conditions.deaths)) return;
        world.trace(() => `the program of ${address} is killed`);
        program.end();
        resolve(undefined);
      };
    });
    const ask: Ask = async (path, {headers = {}}) => {
      program.onStep();
      const answer = await (program.isCancelled ? undefined : workFor(undefined, () => world.get(path, headers)));
      if (program.isCancelled) return new Promise(() => undefined);
      if (!answer) throw new NoAnswer({code: 'FZ602', file: path, rule: 'gave no complete answer'});
      return {...answer, bytes: Buffer.from(answer.text)};
    };
    const running = workFor(program, () => run(ask));
    const outcome = await Promise.race([running, ended]).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      world.trace(() => `the program of ${address} ends: ${error.message}`);
      return error;
    });
    program.end();
    const received = await documentIn(folder, intent);
    if (received !== undefined) intent.received = received;
    else if (outcome) intent.isRefused = await isOver(world, address, outcome.message);
    const {all} = await Payments.read(folder);
    intent.nonces = all.filter(({name}) => name === basename(intent.path)).map(({nonce}) => nonce);
    await sleep(random.integer(1_000, 10_000));
  }
}

async function documentIn(folder: string, {path}: Intent): Promise<string | undefined> {
  const kept = (await allOwned(folder)).find(({name}) => name === basename(path));
  return kept && readFile(kept.file, 'utf8');
}

/** Returns true if the buyer can only ask the publisher: the money was returned, or without a node its state is unknown. */
async function isOver(world: World, payer: string, reason: string): Promise<boolean> {
  if (reason.includes(CONTRACT_REFUSALS.reverted) || reason.includes('it is not known whether')) return true;
  if (!reason.includes('is not delivered')) return false;
  const sales = await world.ledger.list({limit: 10_000});
  return sales.some(sale => sale.payer === payer.toLowerCase() && sale.refund !== null);
}
