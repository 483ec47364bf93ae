import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, symlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import {generatePrivateKey} from 'viem/accounts';
import {curlExample, fetchExample} from '../../build/pages/product/summary.ts';
import {type LocalChain, balanceOf, fundedBuyer} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {readJson} from '../build/tree.ts';
import {blockOf, nodesOf, readPage} from '../docs/page.ts';
import {EXAMPLE} from '../example/example.ts';
import {decoded, paymentFor} from '../paywall/hand-made.ts';
import {PROJECT} from '../project.ts';
import {runIn} from '../scripts/script-run.ts';
import {sharedChain} from '../shared-chain.ts';

const PATH = '/api/v1/softfail3';
const noCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

/** Runs a program to its end and returns its output. */
async function run(command: string, args: readonly string[], options: {cwd: string; env?: Record<string, string>}) {
  const child = spawn(command, args, {
    ...options,
    env: {...process.env, ...options.env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exited) as [number | null];
  assert.equal(code, 0, err);
  return out;
}

describe('the examples of page and docs, on a real chain', () => {
  let chain: LocalChain;
  let facilitator: Listening;
  let gate: Listening;
  let document: unknown;

  before(async () => {
    chain = await sharedChain();
    facilitator = await startFacilitator(chain);
    gate = await startGate(EXAMPLE, facilitator.url);
    document = await readJson(EXAMPLE, `public${PATH}`);
  });
  after(async () => {
    await gate.stop();
    await facilitator.stop();
    await chain.stop();
  });

  test('the program buys the document for its price', async () => {
    const privateKey = generatePrivateKey();
    const buyer = await fundedBuyer(chain, '0.05', privateKey);
    const accepts = [{network: 'eip155:84532'}];
    const program = fetchExample(gate.url + PATH, '$0.02', {payment: {accepts}});
    const out = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: PROJECT,
      env: {PRIVATE_KEY: privateKey},
    });
    assert.match(out, /name: 'softfail3'/);
    assert.match(out, /rows_total: 8/);
    assert.equal(await balanceOf(chain, buyer.address), 30_000n);
  });

  test('the program in the docs pays once for two runs, and verify confirms that it is the one for sale', async () => {
    const page = readPage('docs/buying.md');
    const program = blockOf(page, 'js');
    const privateKey = generatePrivateKey();
    const buyer = await fundedBuyer(chain, '0.05', privateKey);
    const folder = await mkdtemp(join(tmpdir(), 'buyer-'));
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    // The wallet signs in only at the host of the site, so requests to it are redirected to the gate.
    const redirect = `const {fetch} = globalThis;
      globalThis.fetch = async (input, init) => {
        const request = new Request(input, init);
        const answer = await fetch(request.url.replace('https://snapshots.example', '${gate.url}'), request);
        return new Response(answer.body, answer);
      };`;
    const redirected = ['--import', `data:text/javascript,${encodeURIComponent(redirect)}`];
    const args = [...redirected, '--input-type=module', '--eval', program];
    // The second run gets the document again, as after a lost answer.
    for (let attempt = 0; attempt < 2; attempt++) {
      await run(process.execPath, args, {cwd: folder, env: {PRIVATE_KEY: privateKey}});
      assert.equal(await balanceOf(chain, buyer.address), 30_000n);
    }
    const check = nodesOf(page.tree, 'code').find(({meta}) => meta === 'run-by: tests/pages/buying.slow.ts');
    const [command, ...words] = (check?.value ?? '').replace('https://snapshots.example', gate.url).split(' ');
    assert.equal(command, 'frozen');
    const {code, out} = await runIn(folder, words);
    assert.equal(code, 0, out);
    assert.match(out, /^✓ {2}bytes/m);
    await rm(folder, {recursive: true});
  });

  test('the program refuses to pay more than the price on the page', async () => {
    const privateKey = generatePrivateKey();
    const buyer = await fundedBuyer(chain, '0.05', privateKey);
    const accepts = [{network: 'eip155:84532'}];
    const program = fetchExample(gate.url + PATH, '$0.01', {payment: {accepts}});
    const options = {cwd: PROJECT, env: {PRIVATE_KEY: privateKey}};
    await assert.rejects(run(process.execPath, ['--input-type=module', '--eval', program], options), /0 == 1|1 !== 0/s);
    assert.equal(await balanceOf(chain, buyer.address), 50_000n);
  });

  test('curl shows the payment requirements, and gets the document with a signed payment', {skip: noCurl}, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'curl-'));
    const buyer = await fundedBuyer(chain, '0.05');
    const payment = await paymentFor(decoded(await fetch(gate.url + PATH), 'PAYMENT-REQUIRED'), buyer);
    const out = await run('sh', ['-e', '-c', curlExample(gate.url + PATH, 'softfail3')], {
      cwd: folder,
      env: {PAYMENT: payment},
    });
    assert.match(out, /"x402Version":2.*"amount":"20000"/);
    assert.deepEqual(JSON.parse(await readFile(join(folder, 'softfail3.json'), 'utf8')), document);
    await rm(folder, {recursive: true});
  });

  test('the page shows the same examples', async () => {
    const page = await readFile(join(EXAMPLE, 'public/products/classflips.html'), 'utf8');
    const shown = page
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
      .replaceAll('&gt;', '>');
    const {payment} = await readJson(EXAMPLE, 'data/site.json');
    const url = 'https://snapshots.example/api/v1/classflips';
    assert.ok(shown.includes(fetchExample(url, '$0.04', {payment: payment as never})));
    assert.ok(shown.includes(curlExample(url, 'classflips')));
  });
});
