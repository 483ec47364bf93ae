import assert from 'node:assert/strict';
import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {request, type IncomingMessage} from 'node:http';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {SHA256_HEADER} from '../../shared/payment-protocol.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import type {SqlLedger} from '../../paywall/ledger/sql-ledger.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {peakMemory} from '../hostile/flood.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {spawnGate, type GateProcess} from './gate-process.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {lengthen, path, until} from './shop.ts';
import {signedIn} from './sign-in.ts';
import {startStandIn, type StandIn} from './stand-in.ts';
import {startWorkerGate} from './worker-gate.ts';

const MIB = 1024 * 1024;
const PART_BYTES = 768 * 1024;
const READERS = 30;
const LIMITS = {FROZEN_MAX_DOWNLOADS: '100', FROZEN_MAX_DOWNLOADS_PER_CLIENT: String(READERS)};

describe('a document of 20 MB of an earlier snapshot', {timeout: 300_000}, () => {
  const bytes = randomBytes(20 * 1000 * 1000);
  const buyer = privateKeyToAccount(generatePrivateKey());
  let site: FixtureSite;
  let facilitator: StandIn;
  let ledger: SqlLedger;

  before(async () => {
    [site, facilitator] = [await fixtureSite(), await startStandIn()];
    ledger = await openLedger(site.root);
    await using gate = await startGate(site.root, facilitator.url, {ledger});
    assert.equal((await answerTo(gate.url, await payment(gate.url, buyer))).statusCode, 200);
    await own();
  });
  after(async () => {
    await ledger.close();
    await facilitator.stop();
    await site.remove();
  });

  test(`is read slowly by ${READERS} readers in bounded memory, and one more gets it later`, async () => {
    const gate = spawnGate(['--root', site.root], LIMITS);
    const before = await memoryOf(gate);
    const readers: IncomingMessage[] = [];
    for (let reader = 0; reader < READERS; reader++) readers.push(await download(gate, hashOf(bytes)));
    assert.deepEqual([...new Set(readers.map(({statusCode}) => statusCode))], [200]);

    const refused = await download(gate, hashOf(bytes));
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '5']);
    const grown = (await memoryOf(gate)) - before;
    assert.ok(grown < 200 * MIB, `${Math.round(grown / MIB)} MiB for ${READERS} readers of 20 MB`);

    readers[0]?.destroy();
    const accepted = await until(async () => {
      const answer = await download(gate, hashOf(bytes));
      if (answer.statusCode === 200) return answer;
      answer.resume();
      return undefined;
    });
    assert.equal(hashOf(await wholeOf(accepted)), hashOf(bytes));
    // A slow reader gets the rest.
    assert.equal(hashOf(await wholeOf(readers[1] ?? assert.fail())), hashOf(bytes));
    for (const reader of readers) reader.destroy();
    gate.signal('SIGTERM');
    await gate.exitCode;
  });

  /** Records that the buyer paid for a document of these bytes, and archives it. */
  async function own(): Promise<void> {
    const [sale = assert.fail()] = await ledger.list({limit: 1});
    const [url, key, sha256] = [sale.url, hashOf(bytes), hashOf(bytes)];
    assert.equal(await ledger.start({...sale, key, sha256, nonce: key}, 'test'), true);
    assert.equal(await ledger.move(key, 'test', {to: 'settled', transaction: `0x${key}`}, true), true);
    assert.equal(await ledger.move(key, 'test', {to: 'delivered'}), true);
    for (let part = Math.ceil(bytes.length / PART_BYTES) - 1; part >= 0; part--) {
      const content = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES).toString('base64');
      await ledger.archive({url, sha256}, part, content, 30);
    }
  }

  async function download(gate: GateProcess, sha256: string): Promise<IncomingMessage> {
    const url = await gate.url;
    return answerTo(url, {'SIGN-IN-WITH-X': await signedIn(url + path, buyer), [SHA256_HEADER]: sha256});
  }
});

test('workerd sends a document of an earlier snapshot completely, and again after a reader disconnects', async () => {
  const [site, facilitator] = [await fixtureSite(), await startStandIn()];
  const persist = join(site.root, 'state');
  const sold = await lengthen(site.root, 5_000_000);
  const first = await startWorkerGate(site, facilitator.url, undefined, {persist});
  const buyer = privateKeyToAccount(generatePrivateKey());
  const bought = await fetch(first.url + path, {headers: await payment(first.url, buyer)});
  assert.equal(hashOf(Buffer.from(await bought.arrayBuffer())), hashOf(Buffer.from(sold)));
  await sleep(2_000); // the document is archived after the response
  await first.stop();

  await lengthen(site.root, 1_000);
  const second = await startWorkerGate(site, facilitator.url, undefined, {persist});
  const download = async () =>
    answerTo(second.url, {
      'SIGN-IN-WITH-X': await signedIn(second.url + path, buyer),
      [SHA256_HEADER]: hashOf(Buffer.from(sold)),
    });
  for (let reader = 0; reader < 9; reader++) {
    const answer = await download();
    assert.equal(answer.statusCode, 200);
    answer.destroy();
    await once(answer, 'close');
  }
  const answer = await until(async () => {
    const next = await download();
    return next.statusCode === 200 ? next : undefined;
  });
  assert.equal(hashOf(await wholeOf(answer)), hashOf(Buffer.from(sold)));
  await second.stop();
  await facilitator.stop();
  await site.remove();
});

test(`${READERS} slow readers of the document for sale share its bytes`, {timeout: 120_000}, async t => {
  const facilitator = await startStandIn();
  const site = await fixtureSite();
  await lengthen(site.root, 20_000_000);
  const gate = spawnGate(['--root', site.root], {FROZEN_FACILITATOR_URL: facilitator.url});
  const url = await gate.url;
  const buy = async () => {
    const answer = await answerTo(url, await payment(url, privateKeyToAccount(generatePrivateKey())));
    assert.equal(answer.statusCode, 200);
    return answer;
  };
  const readers = [await buy()];
  const before = await memoryOf(gate);
  while (readers.length < READERS) readers.push(await buy());
  const grown = (await memoryOf(gate)) - before;
  t.diagnostic(`${Math.round(grown / MIB)} MiB for ${READERS} readers`);
  assert.ok(grown < 100 * MIB, `${Math.round(grown / MIB)} MiB for ${READERS} readers of 20 MB`);
  for (const reader of readers) reader.destroy();
  gate.signal('SIGKILL');
  await gate.exitCode;
  await facilitator.stop();
  await site.remove();
});

async function payment(url: string, buyer: PrivateKeyAccount): Promise<Record<string, string>> {
  return {'PAYMENT-SIGNATURE': await paymentFor(decoded(await fetch(url + path), 'PAYMENT-REQUIRED'), buyer)};
}

/** Returns the response of the paid path. Its body is not read. */
async function answerTo(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const [answer] = (await once(request(url + path, {headers, agent: false}).end(), 'response')) as [IncomingMessage];
  return answer;
}

async function memoryOf(gate: GateProcess): Promise<number> {
  await gate.url;
  return peakMemory(gate.pid);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function wholeOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
