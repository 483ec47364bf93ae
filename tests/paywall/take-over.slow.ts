import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {decodePaymentRequiredHeader} from '@x402/core/http';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {Hono} from 'hono';
import type {PrivateKeyAccount} from 'viem/accounts';
import {paths, RULES_FILE} from '../../shared/paths.ts';
import {network, type LocalChain, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';
import {FROZEN} from '../project.ts';
import {sharedChain} from '../shared-chain.ts';
import {builtSite, type Generation} from './built-site.ts';
import {spawnGate} from './gate-process.ts';
import {decoded} from './hand-made.ts';
import {transfersBetween} from './transfers.ts';

const path = paths.paid('softfail3');
const product = 'products/soft-fail-3.json';
const payTo = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';
const TOOK = /^Serving the new build of https:\/\/snapshots\.example: \d products$/;

describe('builds under load, on a real chain and with stock clients', () => {
  let chain: LocalChain;
  let facilitator: Listening;

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
  });
  after(async () => {
    await facilitator.stop();
    await chain.stop();
  });

  test(
    'no response mixes two builds or is of an earlier build, and each payer gets the offered document',
    {timeout: 180_000},
    async t => {
      const site = await builtSite(facilitator.url);
      const generations = [await site.build()];
      const gate = spawnGate(['--root', site.root]);
      const url = await gate.url;
      const load = new Load(url, generations);
      t.after(() => {
        load.end();
        gate.signal('SIGKILL');
      });
      // One after the other, because one account funds them.
      const buyers = [];
      for (let n = 0; n < 2; n++) buyers.push(await fundedBuyer(chain, '100'));
      const clients = [
        ...Array.from({length: 2}, () => load.read()),
        load.ask(),
        ...buyers.map(buyer => load.buy(chain, buyer)),
      ];
      await sleep(500);
      load.isBuilding = true;
      await site.edit('site.json', value => (value['description'] = 'Another description.'));
      await site.edit(product, value => Object.assign(value, {price: '$0.03', difference: 'reports another share'}));
      // A build is killed first. The next one finishes its work.
      await killedBuild(site.root, 500);
      const built = await site.build();
      load.generations.push(built);
      const catalogue = async () => (await fetch(url + paths.catalogue)).text();
      while ((await catalogue()) !== built.files.get(paths.catalogue)) await sleep(20);
      load.isTakenOver();
      await sleep(500);
      load.end();
      await Promise.all(clients);
      gate.signal('SIGTERM');
      assert.equal(await gate.exitCode, 0);
      t.diagnostic(load.counts());
      for (const status of ['read 200', 'asked 402', 'bought 200']) assert.ok((load.seen.get(status) ?? 0) > 1, status);
      assert.deepEqual(load.faults, []);
      await site.remove();
    },
  );
});

describe('a gate as a process', () => {
  test('does not end on SIGHUP before it listens, reports once why it cannot load a build, and loads it on SIGHUP when it is fixed', async () => {
    await using facilitator = await listen(
      new Hono().get('/supported', async c => {
        gate.signal('SIGHUP');
        await sleep(200);
        return c.json({kinds: []}, 503);
      }),
    );
    const site = await builtSite(facilitator.url);
    const {files} = await site.build();
    const gate = spawnGate(['--root', site.root]);
    const url = await gate.url;
    const reported = () =>
      gate.written.err
        .split(/^Listening on .*\n/m)[1]
        ?.trimEnd()
        .split('\n')
        .filter(Boolean) ?? [];
    const rules = await readFile(join(site.root, RULES_FILE), 'utf8');
    await writeFile(join(site.root, RULES_FILE), '{');
    await until(() => reported().length > 0);
    assert.match(
      reported()[0] ?? '',
      /^The previous build is still served: paywall\/rules\/rules\.json is not JSON\. Run /,
    );
    assert.equal(await (await fetch(`${url}/index.html`)).text(), files.get('/index.html'));
    assert.equal((await fetch(url + path)).status, 402);
    await sleep(2_500);
    assert.equal(reported().length, 1);
    gate.signal('SIGHUP');
    await until(() => reported().length > 1);
    assert.equal(reported()[1], reported()[0]);
    await writeFile(join(site.root, RULES_FILE), rules);
    await until(() => reported().length > 2);
    gate.signal('SIGHUP');
    await until(() => reported().length > 3);
    for (const line of reported().slice(2)) assert.match(line, TOOK);
    gate.signal('SIGTERM');
    assert.equal(await gate.exitCode, 0);
    await site.remove();
  });
});

/** Clients of a gate, and the errors that they find. */
class Load {
  readonly faults: string[] = [];
  readonly seen = new Map<string, number>();
  readonly generations: Generation[];
  isBuilding = false;
  readonly #url: string;
  /** The oldest allowed build of a response: once a response of a newer build arrived, older ones are errors. */
  #oldest = 0;
  #isOver = false;

  constructor(url: string, generations: Generation[]) {
    [this.#url, this.generations] = [url, generations];
  }

  isTakenOver(): void {
    this.isBuilding = false;
    this.#oldest = this.generations.length - 1;
  }

  end(): void {
    this.#isOver = true;
  }

  counts(): string {
    return [...this.seen].map(([what, count]) => `${what}: ${count}`).join(', ');
  }

  /** Reads every free path repeatedly. */
  async read(): Promise<void> {
    const free = [...(this.generations[0]?.files.keys() ?? [])].filter(file => !this.#offers(0).has(file));
    while (!this.#isOver)
      for (const file of free) {
        const oldest = this.#oldest;
        const response = await fetch(this.#url + file);
        const text = await response.text();
        this.#count('read', response.status);
        if (response.status === 200) await this.#isOf(oldest, file, ({files}) => files.get(file) === text);
        else if (response.status === 404) await this.#isOf(oldest, `no ${file}`, ({files}) => !files.has(file));
        else if (response.status !== 503) this.faults.push(`${file} is ${response.status}`);
      }
  }

  /** Requests the payment requirements repeatedly. */
  async ask(): Promise<void> {
    while (!this.#isOver) {
      const oldest = this.#oldest;
      const response = await fetch(this.#url + path);
      this.#count('asked', response.status);
      if (response.status === 402) await this.#isOf(oldest, 'the terms', generation => agrees(response, generation));
      else if (response.status === 404) await this.#isOf(oldest, `no ${path}`, ({files}) => !files.has(path));
      else this.faults.push(`${path} is ${response.status}`);
    }
  }

  /** Buys repeatedly, and compares the document and the charge with the offer. */
  async buy(chain: LocalChain, buyer: PrivateKeyAccount): Promise<void> {
    for (let paid = 0; !this.#isOver;) {
      let offered = '';
      const watched: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        offered ||= sha256In(response) ?? '';
        return response;
      };
      const pay = wrapFetchWithPaymentFromConfig(watched, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
      const response = await pay(this.#url + path);
      const text = await response.text();
      this.#count('bought', response.status);
      const transfers = await transfersBetween(chain, buyer.address, payTo);
      paid += response.status === 200 ? 1 : 0;
      if (transfers !== paid) this.faults.push(`${response.status}, ${transfers} transfers for ${paid}`);
      if (response.status === 200 && sha256(text) !== offered) this.faults.push('another document than was offered');
      if (![200, 402, 404, 503].includes(response.status)) this.faults.push(`bought: ${response.status}`);
    }
  }

  #offers(index: number): ReadonlySet<string> {
    return new Set(this.generations[index]?.catalogue.products.map(({name}) => paths.paid(name)));
  }

  #count(what: string, status: number): void {
    this.seen.set(`${what} ${status}`, (this.seen.get(`${what} ${status}`) ?? 0) + 1);
  }

  /** Checks the response to a request that was sent when `oldest` was the oldest allowed build. */
  async #isOf(oldest: number, what: string, fits: (generation: Generation) => boolean): Promise<void> {
    // This test may not have received the result of that build yet.
    const find = () => this.generations.findIndex((generation, index) => index >= oldest && fits(generation));
    let found = find();
    for (let look = 0; found < 0 && this.isBuilding && look < 300; look++) {
      await sleep(20);
      found = find();
    }
    if (found < 0) this.faults.push(`${what} is of no build from ${oldest} on`);
    else this.#oldest = Math.max(this.#oldest, found);
  }
}

function agrees(response: Response, {catalogue}: Generation): boolean {
  const entry = catalogue.products.find(({name}) => paths.paid(name) === path);
  const amount = decoded(response, 'PAYMENT-REQUIRED').accepts[0]?.amount;
  return entry?.paid.sha256 === sha256In(response) && Number(entry?.price.slice(1)) * 1e6 === Number(amount);
}

function sha256In(response: Response): string | undefined {
  if (!response.headers.has('PAYMENT-REQUIRED')) return undefined;
  const {extensions} = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
  return (extensions?.['snapshot'] as {info: {sha256: string}} | undefined)?.info.sha256;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function killedBuild(root: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [FROZEN, 'build', '--root', root], {stdio: 'ignore'});
  const ended = once(child, 'close');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await ended;
}

async function until(holds: () => boolean): Promise<void> {
  for (let look = 0; !holds(); look++) {
    assert.ok(look < 1_500, 'it takes too long');
    await sleep(20);
  }
}
