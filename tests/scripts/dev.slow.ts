import assert from 'node:assert/strict';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {readFile, rename, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {takeLock} from '../../build/write/lock.ts';
import {CLASS_SHARE, denySite, type SiteFixture} from '../build/site-fixture.ts';
import {rawExchange} from '../paywall/raw-exchange.ts';
import {devProcess, type DevProcess} from './dev-process.ts';
import {runScript} from './script-run.ts';

const PRODUCT = 'data/products/soft-fail-3.json';
const BUILT = /^(built|up to date): .* s$/m;

/** Returns the price in the response of a dev server to a program. */
async function priceAt(url: string): Promise<string> {
  const catalogue = (await (await fetch(`${url}/api/v1/index.json`)).json()) as {products: {price: string}[]};
  return catalogue.products.map(({price}) => price).join();
}

/** Waits until a dev server shows the price. */
async function shows(url: string, price: string): Promise<void> {
  const until = Date.now() + 60_000;
  while ((await priceAt(url)) !== price) {
    assert.ok(Date.now() < until, `${price} is not shown`);
    await delay(50);
  }
}

describe('a dev server', {concurrency: false}, () => {
  let site: SiteFixture;
  let dev: DevProcess;
  before(async () => {
    site = await denySite();
    dev = await devProcess(site.root, '--port', '0');
  });
  after(async () => {
    await dev[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  test('a program gets the 402 of the gate, and unchanged free documents', async () => {
    const paid = await readFile(join(site.root, 'public/api/v1/softfail3'), 'utf8');
    for (const headers of [{}, {Accept: 'text/html'}, {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'}]) {
      const answer = await fetch(`${dev.url}/api/v1/softfail3`, {headers});
      assert.equal(answer.status, 402);
      assert.ok(answer.headers.has('PAYMENT-REQUIRED'));
      const text = await answer.text();
      for (const row of ['https://b.example/', 'https://d.example/', paid]) assert.ok(!text.includes(row));
    }
    const sample = await fetch(`${dev.url}/api/v1/samples/softfail3.json`);
    assert.equal(await sample.text(), await readFile(join(site.root, 'public/api/v1/samples/softfail3.json'), 'utf8'));
    assert.equal((await fetch(`${dev.url}/api/v1/nosuch`)).status, 404);
  });

  test('it answers to the names of this machine only', async () => {
    const {port} = new URL(dev.url);
    const ask = async (host: string) => {
      const answer = await rawExchange(dev.url, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return answer.slice(9, 12);
    };
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST'])
      assert.equal(await ask(host), '200', host);
    for (const host of [
      'evil.example',
      `localhost.evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
      'evil.example@localhost',
    ])
      assert.notEqual(await ask(host), '200', host);
  });

  test('deleted files are reported, and shown again when they are restored', async () => {
    for (const [gone, says] of [
      ['data/products', /^data\/products does not contain a product/m],
      [
        'data/sources',
        /^data\/products\/soft-fail-3\.json:5: source "deny-list" is not a folder in data\/sources\. \[FZ204\]$/m,
      ],
      ['data', /^data\/products does not contain a product/m],
    ] as const) {
      const aside = join(site.root, 'aside');
      let since = dev.written().length;
      await rename(join(site.root, gone), aside);
      await dev.wrote(says, since);
      assert.equal(await priceAt(dev.url), '$0.02', 'the last good site is still served');
      // A file in place of the folder.
      await writeFile(join(site.root, gone), 'a file');
      await delay(300);
      since = dev.written().length;
      await rm(join(site.root, gone));
      await rename(aside, join(site.root, gone));
      await dev.wrote(BUILT, since);
    }
    await site.write(PRODUCT, {...CLASS_SHARE, price: '$0.09'});
    await shows(dev.url, '$0.09');
  });

  test('a removed public/ is built again', async () => {
    const price = await priceAt(dev.url);
    const since = dev.written().length;
    await rm(join(site.root, 'public'), {recursive: true});
    await dev.wrote(BUILT, since);
    await shows(dev.url, price);
  });

  test('a thousand saves make few builds, one after the other, and the last save is shown', async () => {
    const before = dev.written().length;
    for (let save = 1; save <= 1000; save++) await site.write(PRODUCT, {...CLASS_SHARE, price: `$${save}.00`});
    await dev.wrote(BUILT, before);
    await shows(dev.url, '$1000.00');
    const builds =
      dev
        .written()
        .slice(before)
        .match(/^(built|up to date)/gm) ?? [];
    assert.ok(builds.length <= 20, `${builds.length} builds`);
    assert.ok(!dev.written().includes('.build/lock'), dev.written());
  });

  test('another build is reported once, and awaited', async () => {
    const lock = takeLock(site.root);
    await site.write(PRODUCT, {...CLASS_SHARE, price: '$0.09'});
    await dev.wrote(/^\.build\/lock is locked by another build/m);
    await delay(2500);
    assert.equal(dev.written().match(/is locked by another build/g)?.length, 1);
    lock.release();
    await shows(dev.url, '$0.09');
  });

  test('Ctrl-C ends it immediately, also with open pages', async () => {
    const open = await fetch(`${dev.url}/.dev/events`);
    assert.equal(open.status, 200);
    const started = performance.now();
    assert.equal(await dev.interrupt(), 0);
    assert.ok(performance.now() - started < 5000);
  });
});

test('a requested port that is in use is an error', async () => {
  await using site = await denySite();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const {port} = taken.address() as AddressInfo;
  const {code, err} = await runScript('dev', ['--root', site.root, '--port', String(port)]);
  assert.deepEqual([code, err], [1, `--port ${port} is in use by another program\n`]);
  taken.close();
});

test('two servers of one site have the next free ports, show every change, and end if the site is removed', async () => {
  await using site = await denySite();
  await using first = await devProcess(site.root);
  await using second = await devProcess(site.root);
  assert.ok(Number(new URL(first.url).port) >= 3000);
  assert.ok(Number(new URL(second.url).port) > Number(new URL(first.url).port));
  for (const price of ['$0.11', '$0.12', '$0.13']) {
    await site.write(PRODUCT, {...CLASS_SHARE, price});
    for (const dev of [first, second]) await shows(dev.url, price);
  }
  const moved = `${site.root}-moved`;
  await rename(site.root, moved);
  await writeFile(join(moved, PRODUCT), '{}');
  for (const dev of [first, second]) {
    await dev.wrote(/ was removed\. \[FZ201\]$/m).catch(() => undefined);
    assert.match(dev.written(), / was removed\. \[FZ201\]$/m);
  }
  assert.equal(existsSync(site.root), false);
  await rename(moved, site.root);
});
