import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import {setTimeout as delay} from 'node:timers/promises';
import {parseUnits} from 'viem';
import {EXAMPLE} from '../example/example.ts';
import {canary, fixtureSite, payTo, type FixtureSite} from '../paywall/fixture-site.ts';
import type {Rules} from '../../shared/shapes.ts';
import {FROZEN, PROJECT} from '../project.ts';

describe('frozen demo', () => {
  let site: FixtureSite;
  before(async () => (site = await fixtureSite()));
  after(() => site.remove());

  test('shows a purchase from the free sample to the balances in plain text when piped', async () => {
    const {code, out, error, left} = await finish(start(['--root', site.root], {CI: '1'}));
    assert.equal(code, 0, error);
    for (const part of ['softfail3.json', '402', 'SHA-256', 'transaction  0x', '1.00 → 0.98', '0.00 → 0.02']) {
      assert.ok(out.includes(part), `no ${part} in:\n${out}`);
    }
    assert.ok(!out.includes('\u001b'), 'there are escape codes in plain output');
    assert.deepEqual(left, []);
  });

  test('buys the named product and prints the facts as JSON', async () => {
    const {code, out, error} = await finish(start(['--root', site.root, '--product', 'webhookbundle', '--json']));
    assert.equal(code, 0, error);
    const {ok, product, price, transaction, buyer, seller} = JSON.parse(out) as Record<string, unknown>;
    assert.deepEqual({ok, product, price}, {ok: true, product: 'webhookbundle', price: '$0.15'});
    assert.match(String(transaction), /^0x[0-9a-f]{64}$/);
    assert.deepEqual(amounts(buyer), ['1000000', '850000']);
    assert.deepEqual(amounts(seller), ['0', '150000']);
  });

  test('buys a product of each further kind from the example site', async () => {
    const {products} = JSON.parse(await readFile(join(EXAMPLE, 'public/api/v1/index.json'), 'utf8')) as Catalogue;
    for (const further of ['query', 'same-timestamps']) {
      const {name, price} = products.find(({kind}) => kind === further) ?? assert.fail(`no ${further}`);
      const {code, out, error} = await finish(start(['--root', EXAMPLE, '--product', name, '--json']));
      assert.equal(code, 0, `${name}: ${error}`);
      const {product, seller} = JSON.parse(out) as {product: string; seller: {after: string}};
      assert.deepEqual([product, BigInt(seller.after)], [name, parseUnits(price.slice(1), 6)]);
    }
  });

  test('--keep keeps it running until SIGINT, for the program that it prints', async () => {
    const demo = start(['--root', site.root, '--keep']);
    let out = '';
    demo.child.stdout?.on('data', chunk => (out += String(chunk)));
    while (!out.includes('console.log')) {
      assert.equal(demo.child.exitCode, null, 'the demo has ended');
      await delay(100);
    }
    assert.match(out, /^ +private key +0x[0-9a-f]{64}, for this local chain only/m);
    assert.match(out, /^\/\/ npm install @x402\/fetch @x402\/extensions @x402\/evm viem$/m);
    const [, curl = ''] = /^curl -i (\S+)$/m.exec(out) ?? [];
    const unpaid = await fetch(curl);
    assert.equal(unpaid.status, 402);
    assert.ok(!(await unpaid.text()).includes(canary));
    const [, key = '', file = ''] = /^ +run +PRIVATE_KEY=(\S+) node (\S+)$/m.exec(out) ?? [];
    assert.match(
      out,
      new RegExp(`^ +run +FROZEN_BUYER_KEY=${key} frozen buy http://127.0.0.1:\\d+ softfail3 --max 0\\.02$`, 'm'),
    );
    const folder = await mkdtemp(join(PROJECT, 'node_modules/.cache/buy-'));
    await writeFile(join(folder, file), out.slice(out.indexOf('// npm install')));
    for (const [path, name] of [[site.paidPaths[0] ?? '', 'softfail3']] as const) {
      assert.ok(curl.endsWith(path));
      const bought = spawn(process.execPath, [file], {cwd: folder, env: {...process.env, PRIVATE_KEY: key}});
      const [document, error] = await Promise.all([text(bought.stdout), text(bought.stderr)]);
      assert.equal(error, '');
      assert.match(document, new RegExp(`name: '${name}',\n  as_of: .*\n  canary: '${canary}'`));
    }
    await rm(folder, {recursive: true});
    demo.child.kill('SIGINT');
    const {code, left} = await finish(demo);
    assert.deepEqual({code, left}, {code: 0, left: []});
  });

  test('leaves no process behind if SIGINT reaches the whole group, at any time', async () => {
    for (const part of ['', 'gate', 'The sample']) {
      const demo = start(['--root', site.root, '--keep']);
      await printed(demo, part);
      process.kill(-(demo.child.pid ?? assert.fail('not started')), 'SIGINT');
      const {left} = await finish(demo);
      assert.deepEqual(left, [], `after "${part}"`);
    }
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`leaves no process behind if ${signal} reaches only its own process`, async () => {
      const demo = start(['--root', site.root]);
      await printed(demo, 'Everything runs');
      demo.child.kill(signal);
      const ended = await finish(demo);
      assert.equal(ended.signal, signal, ended.error);
      assert.deepEqual(ended.left, []);
    });
  }

  test('lists the products, each once, if another is requested', async () => {
    const other = await fixtureSite();
    const file = join(other.root, 'paywall/rules/rules.json');
    const rules = JSON.parse(await readFile(file, 'utf8')) as Rules;
    const parts = rules.rules.map(rule => ({...rule, path: `${rule.path}-part`}));
    await writeFile(file, JSON.stringify({...rules, rules: [...rules.rules, ...parts]}));
    const {code, error} = await finish(start(['--root', other.root, '--product', 'nosuch']));
    await other.remove();
    assert.equal(code, 2);
    assert.match(error, /"nosuch" is not one of softfail3, firstlastsame, webhookbundle\. \[FZ902\]$/m);
  });

  test('reports in one line that it only supports rules for its own chain', async () => {
    const other = await fixtureSite({accepts: [{network: 'eip155:8453', pay_to: payTo}]});
    const {code, error} = await finish(start(['--root', other.root]));
    await other.remove();
    assert.equal(code, 1);
    assert.match(
      error.trim(),
      /^paywall\/rules\/rules\.json: .*eip155:8453.* the demo needs rules for eip155:84532\. \[FZ507\]\n/,
    );
  });

  test('ends with 1 if the files differ from the catalogue', async () => {
    const other = await fixtureSite();
    await writeFile(join(other.root, 'public/api/v1/softfail3'), '{"name":"softfail3","sha256":""}\n');
    const {code, left} = await finish(start(['--root', other.root]));
    await other.remove();
    assert.equal(code, 1);
    assert.deepEqual(left, []);
  });

  test('ends with 2 on a mistyped flag and with 0 on --help, which has an example', async () => {
    const wrong = await finish(start(['--prodct', 'softfail3']));
    assert.equal(wrong.code, 2);
    assert.match(wrong.error, /--prodct/);
    const help = await finish(start(['--help']));
    assert.equal(help.code, 0);
    assert.match(help.out, /Example: frozen demo --product softfail3/);
  });
});

interface Catalogue {
  readonly products: readonly {readonly name: string; readonly kind: string; readonly price: string}[];
}

interface Demo {
  readonly child: ChildProcess;
  /** A text in the environment of every process that the demo starts. */
  readonly mark: string;
  readonly out: Promise<string>;
  readonly error: Promise<string>;
}

function start(args: string[], env: NodeJS.ProcessEnv = {}): Demo {
  const mark = `DEMO_MARK=${randomUUID()}`;
  const child = spawn(process.execPath, [FROZEN, 'demo', ...args], {
    cwd: PROJECT,
    detached: true,
    env: {...process.env, ...env, DEMO_MARK: mark.slice('DEMO_MARK='.length)},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {child, mark, out: text(child.stdout), error: text(child.stderr)};
}

async function finish({child, mark, out, error}: Demo) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const left = await leftBy(mark);
  return {code: child.exitCode, signal: child.signalCode, left, out: await out, error: await error};
}

/**
 * Waits until the demo has printed this text. Fails if the demo ends before. Without a text, waits for a time during
 * the start.
 */
async function printed({child, error}: Demo, part: string): Promise<void> {
  if (part === '') {
    await delay(800);
    assert.ok(child.exitCode === null && child.signalCode === null, 'the demo has ended already');
    return;
  }
  let seen = '';
  const shown = await new Promise<boolean>(done => {
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(part)) done(true);
    });
    child.stdout?.on('close', () => {
      done(false);
    });
  });
  if (!shown) assert.fail(`the demo ended before it printed "${part}": ${await error}`);
}

/**
 * Returns the command lines of processes with this text in their environment, after a time for them to end. Kills them,
 * because they keep the demo's output open, so the test would wait for them instead of failing.
 */
async function leftBy(mark: string): Promise<string[]> {
  let pids = await processesWith(mark);
  for (let tries = 0; tries < 20 && pids.length > 0; tries++) {
    await delay(100);
    pids = await processesWith(mark);
  }
  const commands = await Promise.all(pids.map(pid => readProcess(pid, 'cmdline')));
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return commands;
}

async function processesWith(mark: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const environments = await Promise.all(pids.map(pid => readProcess(pid, 'environ')));
  return pids.filter((_, index) => environments[index]?.split('\0').includes(mark));
}

/** Empty for a process that has ended or is not ours. */
function readProcess(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}

function amounts(balance: unknown): string[] {
  const {before, after} = balance as {before: string; after: string};
  return [before, after];
}
