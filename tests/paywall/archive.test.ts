import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {test, type TestContext} from 'node:test';
import {setImmediate} from 'node:timers/promises';
import {install} from '@sinonjs/fake-timers';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import {archiver, openArchived} from '../../paywall/payments/sales/archive.ts';
import type {PaymentServices} from '../../paywall/payments/services.ts';

const PART = 768 * 1024;
const DAY_MS = 24 * 3_600_000;
const url = 'https://snapshots.example/api/v1/a';

/** A ledger that only archives documents. */
function ledgerOf() {
  const calls: unknown[][] = [];
  const parts = new Map<number, string>();
  const fails = {isArchived: false, archivedPart: false};
  const ledger = {
    isArchived(...args: unknown[]) {
      calls.push(['isArchived', ...args]);
      return fails.isArchived ? Promise.reject(new Error('no ledger')) : Promise.resolve(parts.has(0));
    },
    archive(document: unknown, part: number, content: string, days: number) {
      calls.push(['archive', document, part, days]);
      parts.set(part, content);
      return Promise.resolve();
    },
    archivedParts: () => Promise.resolve(parts.has(0) ? parts.size : 0),
    archivedPart: (_: unknown, part: number) =>
      fails.archivedPart ? Promise.reject(new Error('no ledger')) : Promise.resolve(parts.get(part)),
  } as unknown as Ledger; // other methods are not called
  return {ledger, calls, parts, fails};
}

/** Stops the clock that measures durations, and returns a function that advances it. */
function stopClock(t: TestContext): (ms: number) => void {
  let now = 1_000_000;
  t.mock.method(performance, 'now', () => now);
  return ms => {
    now += ms;
  };
}

/** Archives a document of this many bytes, and returns a function that archives it again. */
function archived(t: TestContext, length: number, redownloadDays = 30) {
  const bytes = Uint8Array.from({length}, (_, at) => at % 251);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const recorder = ledgerOf();
  const advance = stopClock(t);
  const alive: Promise<unknown>[] = [];
  const services = {
    ledger: recorder.ledger,
    keepAlive: (work: Promise<unknown>) => alive.push(work),
  } as unknown as PaymentServices; // other members are not used
  const archive = archiver({url, snapshot: {sha256}, redownloadDays} as Offer, services);
  const again = async (laterMs: number) => {
    advance(laterMs);
    recorder.calls.length = 0;
    const archiving = archive(bytes);
    const isArchived = await archiving.then(
      () => true,
      () => false,
    );
    await Promise.all(alive);
    assert.equal(isArchived, !recorder.fails.isArchived);
    return recorder.calls;
  };
  return {...recorder, bytes, document: {url, sha256}, again};
}

function unexpected(trouble: string): never {
  throw new Error(trouble);
}

/** Reads an archived document. */
async function read(ledger: Ledger, document: {url: string; sha256: string}) {
  const troubles: string[] = [];
  const opened = await openArchived(document, ledger, trouble => troubles.push(trouble));
  const chunks: Uint8Array[] = [];
  let failure: unknown;
  try {
    for await (const chunk of opened?.body ?? []) chunks.push(chunk);
  } catch (error) {
    failure = error;
  }
  return {length: opened?.length, bytes: Buffer.concat(chunks), troubles, failure};
}

for (const length of [1, PART, PART + 1, 2 * PART])
  test(`a document of ${length} bytes is archived in parts, the first one last, and read again`, async t => {
    const {ledger, document, bytes, again} = archived(t, length);
    const calls = await again(0);
    const parts = Array.from({length: Math.ceil(length / PART)}, (_, part) => ['archive', document, part, 31]);
    assert.deepEqual(calls, [['isArchived', document, 31], ...parts.reverse()]);
    const {failure, troubles, ...found} = await read(ledger, document);
    assert.deepEqual([failure, troubles], [undefined, []]);
    assert.equal(found.length, length);
    assert.ok(found.bytes.equals(bytes));
  });

test('a document is archived once, and the archive is checked once a day', async t => {
  const {again, document} = archived(t, 1);
  assert.equal((await again(0)).length, 2);
  assert.deepEqual(await again(DAY_MS - 1), []);
  assert.deepEqual(await again(1), [['isArchived', document, 31]]);
});

test('a document is archived with the next sale if the ledger fails', async t => {
  const {again, fails} = archived(t, 1);
  fails.isArchived = true;
  await again(0);
  fails.isArchived = false;
  assert.equal((await again(1)).length, 2);
});

/** Archives a document with two sales at the same time. The first look at the archive takes so many milliseconds. */
function archivedTwice(t: TestContext, firstMs: number) {
  const clock = install({toFake: ['setTimeout', 'performance']});
  t.after(() => {
    clock.uninstall();
  });
  const looks: number[] = [];
  const ledger = {
    isArchived: () => new Promise(resolve => setTimeout(resolve, looks.push(clock.now) > 1 ? 1 : firstMs, true)),
  };
  const services = {ledger, keepAlive: () => undefined} as unknown as PaymentServices; // other members are not used
  const archive = archiver({url, snapshot: {sha256: 'ab'}, redownloadDays: 30} as Offer, services);
  const done: number[] = [];
  for (const bytes of [new Uint8Array(1), new Uint8Array(1)]) void archive(bytes).then(() => done.push(clock.now));
  return {clock, looks, done};
}

test('a sale waits for another one that archives the document', async t => {
  const {clock, looks, done} = archivedTwice(t, 110);
  await clock.tickAsync(200);
  assert.deepEqual([looks, done], [[0], [110, 150]]);
});

test('a sale archives the document itself if another one has not done it within five seconds', async t => {
  const {clock, looks, done} = archivedTwice(t, 60_000);
  await clock.tickAsync(6_000);
  assert.deepEqual([looks, done], [[0, 5_000], [5_001]]);
});

test('a sale does not wait without end for others whose archiving fails slowly', async t => {
  const clock = install({toFake: ['setTimeout', 'performance']});
  t.after(() => {
    clock.uninstall();
  });
  const ledger = {
    isArchived: () =>
      new Promise((_, reject) => {
        setTimeout(reject, 4_900, new Error('no answer'));
      }),
  };
  const services = {ledger, keepAlive: () => undefined} as unknown as PaymentServices; // other members are not used
  const archive = archiver({url, snapshot: {sha256: 'ab'}, redownloadDays: 30} as Offer, services);
  const failed: number[] = [];
  for (let sale = 0; sale < 5; sale++) archive(new Uint8Array(1)).catch(() => failed.push(clock.now));
  await clock.tickAsync(20_000);
  assert.equal(failed.length, 5);
  assert.ok(Math.max(...failed) < 16_000, failed.join());
});

test('no document is archived on a site without further downloads', async t => {
  const {again} = archived(t, 1, 0);
  assert.deepEqual(await again(DAY_MS), []);
});

test('a document that is not archived completely is not opened', async t => {
  const {ledger, document, parts, again} = archived(t, 2 * PART);
  assert.equal(await openArchived(document, ledger, unexpected), undefined);
  await again(0);
  parts.delete(0);
  assert.equal(await openArchived(document, ledger, unexpected), undefined);
});

const damages: readonly [
  what: string,
  length: number,
  sent: number,
  damage: (parts: Map<number, string>) => unknown,
][] = [
  ['a first part that is missing', 2 * PART, 0, parts => parts.set(0, '')],
  ['a first part that is short', 2 * PART, 0, parts => parts.set(0, 'AAAA')],
  ['a last part of other bytes', 2 * PART, PART, parts => parts.set(1, 'AAAA')],
  ['a first part of other bytes', PART + 1, PART, parts => parts.set(0, Buffer.alloc(PART).toString('base64'))],
];
for (const [what, length, sent, damage] of damages)
  test(`the download of a document with ${what} is cut off and reported`, async t => {
    const {ledger, document, parts, again} = archived(t, length);
    await again(0);
    damage(parts);
    const {bytes, failure, troubles} = await read(ledger, document);
    assert.equal(bytes.length, sent);
    assert.deepEqual(troubles, [
      `The ledger has a damaged copy of ${url} (SHA-256 ${document.sha256}): it is not delivered.`,
    ]);
    // Without a stack, because the server library would print it.
    assert.deepEqual([(failure as Error).message, (failure as Error).stack], ['An answer was interrupted.', undefined]);
  });

test('a document of one part with different bytes is not opened', async t => {
  const {ledger, document, parts, again} = archived(t, 10);
  await again(0);
  parts.set(0, 'AAAA');
  assert.equal(await openArchived(document, ledger, unexpected), undefined);
});

test('a download is cut off without a report if the ledger fails, which is reported elsewhere', async t => {
  const {ledger, document, fails, again} = archived(t, 2 * PART);
  await again(0);
  const opened = await openArchived(document, ledger, unexpected);
  fails.archivedPart = true;
  await assert.rejects(opened?.body.getReader().read() ?? assert.fail(), /interrupted/);
});

test('parts are read after the client has received the earlier ones', async (t: TestContext) => {
  const {ledger, document, again} = archived(t, 2 * PART);
  await again(0);
  const opened = await openArchived(document, ledger, unexpected);
  const asked = t.mock.method(ledger, 'archivedPart');
  await setImmediate();
  assert.equal(asked.mock.callCount(), 0);
  await opened?.body.getReader().read();
  await setImmediate();
  assert.equal(asked.mock.callCount(), 1);
});
