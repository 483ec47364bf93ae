import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {parseEther, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAddress} from 'viem/accounts';
import {startChain, type LocalChain} from '../../scripts/local-chain/chain.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import type {Check} from '../../buyer/verify/check.ts';
import {DENY_CSV, DENY_SCHEMA, denySite, type SiteFixture} from '../build/site-fixture.ts';
import {gateProcess} from '../scripts/gate-process.ts';
import {runScript} from '../scripts/script-run.ts';
import {Authority} from './authority.ts';

const HEAD = 'data/sources/deny-list/2026-05-01';

describe('frozen witness', () => {
  const keys = mkdtempSync(join(tmpdir(), 'keys-'));
  const key = join(keys, 'witness.key');
  let authority: Authority;
  let served: Listening;
  let chain: LocalChain;
  let site: SiteFixture;
  let asked = 0;

  before(async () => {
    authority = new Authority();
    served = await authority.serve(request => {
      asked++;
      return authority.reply(request);
    });
    chain = await startChain();
    const privateKey: Hex = generatePrivateKey();
    writeFileSync(key, privateKey, {mode: 0o600});
    await chain.client.setBalance({address: privateKeyToAddress(privateKey), value: parseEther('1')});
    site = await denySite();
    await site.freeze({source: 'unsold', files: {'list.csv': DENY_CSV}, schema: DENY_SCHEMA});
  });
  after(async () => {
    await site[Symbol.asyncDispose]();
    await chain.stop();
    await served.stop();
    authority[Symbol.dispose]();
    rmSync(keys, {recursive: true});
  });

  const witness = (...args: readonly string[]) => runScript('witness', ['--root', site.root, ...args]);
  const kept = (source: string) => {
    const folder = join(site.root, `data/sources/${source}/2026-05-01/witness`);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };

  test('refuses an authority with another root certificate, a response to another request, and other contents', async () => {
    using other = new Authority();
    const earlier = authority.stamp(readFileSync(join(site.root, HEAD, 'datapackage.json')));
    await using replaying = await authority.serve(() => earlier);
    await using talking = await authority.serve(() => Buffer.from('<html>Welcome</html>'));
    await using refusing = await authority.serve(() => authority.reply(Buffer.from('no request')));
    const gone = await authority.serve();
    await gone.stop();
    const cases = [
      [served.url, other.ca, /127\.0\.0\.1:\d+ is signed by CN=Test Stamps, .* did not certify at that time/],
      [replaying.url, authority.ca, /127\.0\.0\.1:\d+\/? answered another request: the nonce is not that of this one/],
      [talking.url, authority.ca, /is not an answer of a timestamp authority/],
      [refusing.url, authority.ca, /the authority refused the request/],
      [gone.url, authority.ca, /does not answer: .*ECONNREFUSED/],
      [`${chain.rpcUrl}/`, authority.ca, /answers \d+, not 200|is not an answer/],
    ] as const;
    for (const [url, ca, says] of cases) {
      const {code, err} = await witness('deny-list', '--tsa', url, '--tsa-ca', ca);
      assert.equal(code, 1, url);
      assert.match(err, says);
      assert.match(err, /^[^\n]+\n$/);
    }
    assert.deepEqual(kept('deny-list'), []);
  });

  test('stores the stamp of each latest freeze, and a transaction, and repeats no request', async () => {
    // The node in the environment is for other commands: without a key, no transaction is sent.
    const stampArgs = ['--root', site.root, '--tsa', served.url, '--tsa-ca', authority.ca];
    const stamps = await runScript('witness', stampArgs, {FROZEN_RPC_URL: chain.rpcUrl, FROZEN_WITNESS_KEY: ''});
    assert.equal(stamps.code, 0, stamps.err);
    assert.match(stamps.out, /^deny-list of 2026-05-01: stamped \S+ by CN=Test Stamps, O=Test Authority; certified by/);
    for (const source of ['deny-list', 'unsold']) assert.deepEqual(kept(source), ['127.0.0.1.tsr']);
    const before = asked;
    const both = await witness('deny-list', '--tsa', served.url, '--rpc-url', chain.rpcUrl, '--key-file', key);
    assert.equal(both.code, 0, both.err);
    assert.match(both.out, /deny-list of 2026-05-01: already has its proof/);
    assert.match(both.out, /in transaction 0x[0-9a-f]{64} of eip155:84532, block \d+/);
    assert.equal(asked, before);
    assert.deepEqual(kept('deny-list'), ['127.0.0.1.tsr', 'eip155-84532.json']);
  });

  test('stores the stamps of two authorities of one host', async () => {
    const other = await witness('unsold', '--tsa', `${served.url}/Qualified/`);
    assert.equal(other.code, 0, other.err);
    assert.match(other.out, /unsold of 2026-05-01: stamped /);
    assert.deepEqual(kept('unsold'), ['127.0.0.1-qualified.tsr', '127.0.0.1.tsr']);
  });

  test('does not accept another file as a proof of the freeze', async () => {
    const file = 'data/sources/deny-list/2026-05-01/witness/127.0.0.1.tsr';
    const proof = readFileSync(join(site.root, file));
    await site.write(file, proof.subarray(1));
    const {code, err} = await witness('deny-list', '--tsa', served.url);
    await site.write(file, proof);
    assert.equal(code, 1);
    assert.match(err, /witness\/127\.0\.0\.1\.tsr is not an answer of a timestamp authority/);
  });

  test('its proofs are published, served, and verified through the gate', async () => {
    assert.equal((await site.build()).code, 0);
    await using gate = await gateProcess(site.root);
    const verify = async (target: string, ...args: readonly string[]) => {
      const {code, out} = await runScript('verify', ['site', target, '--json', ...args]);
      return {code, checks: (JSON.parse(out) as {checks: readonly Check[]}).checks};
    };
    const {code, checks} = await verify(
      gate.url,
      '--tsa-ca',
      authority.ca,
      '--rpc-url',
      chain.rpcUrl,
      '--confirmations',
      '1',
    );
    assert.equal(code, 0, JSON.stringify(checks.filter(({state}) => state === 'failed')));
    const says = new Map(checks.filter(({what}) => what === 'witness').map(({subject, detail}) => [subject, detail]));
    // A list without products is not reported.
    assert.deepEqual([...says.keys()], ['deny-list of 2026-05-01']);
    const existed = says.get('deny-list of 2026-05-01') ?? '';
    assert.match(
      existed,
      /^existed no later than .* UTC, \d+ days after its as_of, by .*; nothing shows that it existed before$/,
    );
    // The earlier one is named first. The clock of the chain may be before the clock of the authority.
    for (const witness of [/CN=Test Stamps/, /transaction 0x/]) assert.match(existed, witness);
    const withoutRoots = await verify(site.root);
    assert.equal(withoutRoots.code, 0);
    assert.ok(
      withoutRoots.checks.every(({what, detail}) => what !== 'witness' || detail.startsWith('has no verified proof')),
    );
    const revoked = await verify(
      site.root,
      '--tsa-ca',
      authority.ca,
      '--tsa-crl',
      authority.revoked('210101000000Z,keyCompromise'),
    );
    assert.equal(revoked.code, 1);
    assert.ok(
      revoked.checks.some(({what, state, detail}) => what === 'proof' && state === 'failed' && /revoked/.test(detail)),
    );
  });

  test('a freeze with changed rows is not confirmed', async () => {
    await site.write(`${HEAD}/deny-list.csv`, DENY_CSV.replace('dead', 'fine'));
    const {code, err} = await witness('deny-list', '--tsa', served.url);
    assert.equal(code, 1);
    assert.match(err, /a freeze is never edited/);
  });

  test('wrong usage is reported', async () => {
    for (const args of [[], ['--tsa', 'ftp://x.example'], ['--rpc-url', '']])
      assert.equal((await witness(...args)).code, 2);
    assert.match((await witness('../x', '--tsa', served.url)).err, /source "..\/x" is not the name of a source/);
    assert.match((await witness('unsold', '--rpc-url', chain.rpcUrl)).err, /The wallet is missing/);
  });
});
