import assert from 'node:assert/strict';
import {mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {preflight} from '../../scripts/deploy/preflight.ts';
import {frozen} from '../../scripts/program.ts';
import {paths, SIGNATURE_FILE} from '../../shared/paths.ts';
import type {Signing} from '../../shared/public-key.ts';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {copiesOf} from '../build/site-copies.ts';
import {SITE} from '../build/site-fixture.ts';
import type {Ran} from '../scripts/script-run.ts';
import {serveProcess} from '../scripts/gate-process.ts';
import {gitSite, inRepository, type GitSite} from '../scripts/git-site.ts';
import {runScript} from '../scripts/script-run.ts';
import {account, accessBlock, BUCKET, s3Server} from '../scripts/s3-server.ts';
import {plainErrors} from '../plain-errors.ts';

async function run(...args: readonly string[]): Promise<Ran> {
  const texts = {out: '', err: ''};
  const code = await frozen(args, {
    out: {write: (text: string) => (texts.out += text)},
    err: {write: (text: string) => (texts.err += text)},
  });
  return {code, out: texts.out, err: plainErrors(texts.err)};
}

const keyFile = ({root}: GitSite, name = 'signing.key') => join(root, name);

const copy = copiesOf(async () => {
  const site = await gitSite();
  await site.write('.gitignore', '*.key\n');
  const made = await run('sign', 'new-key', '--output', keyFile(site), '--write', '--root', site.root);
  assert.equal(made.code, 0, made.err);
  await site.commit();
  return site;
});
/** A site in git with a key, built and not signed. */
const keyedSite = async () => inRepository(await copy());

const signingIn = async ({root}: GitSite) =>
  (JSON.parse(await readFile(join(root, 'data/site.json'), 'utf8')) as {signing: Signing}).signing;
const keyIn = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as SigningKey;

test('a publisher creates a key, builds, signs, and rotates the key', async () => {
  await using site = await keyedSite();
  const {root} = site;
  const key = await keyIn(keyFile(site));
  assert.equal((await stat(keyFile(site))).mode & 0o777, 0o600);
  const {kid, x, since} = await signingIn(site);
  assert.deepEqual([kid, x], [key.kid, key.x]);
  assert.match(since ?? '', /^\d{4}-\d\d-\d\d$/);
  assert.match(
    (await site.build()).out,
    /index\.json\.jws is missing\. Buyers would refuse the catalogue: run `frozen sign catalogue`/,
  );
  const sign = (file = keyFile(site)) => run('sign', 'catalogue', '--root', root, '--signing-key-file', file);
  assert.match((await sign()).out, /^signed: public\/api\/v1\/index\.json\.jws, by /);
  assert.match((await sign()).out, /^already signed: /);
  const check = await site.build('--check');
  assert.deepEqual([check.code, /jws/.test(check.out)], [0, false]);

  const again = await run('sign', 'new-key', '--output', keyFile(site, 'other.key'), '--write', '--root', root);
  assert.match(again.err, /^data\/site\.json: signing already exists$/m);
  for (const [to, says] of [
    [keyFile(site), /signing\.key already exists: a key is never overwritten/],
    [join(root, 'public/a.key'), /is below public\/ of a site, which is published/],
    [join(root, 'data/a.key'), /is below data\/ of a site/],
  ] as const)
    assert.match((await run('sign', 'new-key', '--output', to)).err, says);

  const next = keyFile(site, 'next.key');
  const rotated = await run(
    'sign',
    'next-key',
    '--output',
    next,
    '--signing-key-file',
    keyFile(site),
    '--write',
    '--root',
    root,
  );
  assert.equal(rotated.code, 0, rotated.err);
  assert.ok(!rotated.out.includes((await keyIn(next)).d), 'the private half is not shown');
  const {former = [], ...current} = await signingIn(site);
  assert.deepEqual([current.kid, former.map(one => one.kid)], [(await keyIn(next)).kid, [kid]]);
  const stale = await sign(next);
  assert.match(stale.err, /index\.json does not match data\/site\.json$/m);
  assert.match((await site.build()).out, /index\.json\.jws has the kid/);
  assert.match((await sign()).err, /^data\/site\.json: signing\.kid "\S+ is not the key that was given/);
  assert.equal((await sign(next)).code, 0);
  const {keys} = JSON.parse(await readFile(join(root, 'public/.well-known/jwks.json'), 'utf8')) as {
    keys: {kid: string; nbf: number; exp?: number}[];
  };
  assert.deepEqual(
    keys.map(one => one.kid),
    [current.kid, kid],
  );
  const [, ended] = keys;
  assert.equal(ended?.exp, ended && ended.nbf + 86_400, 'a key of one day is valid for this day');
});

test('a signature that cannot be written is reported with its path, and leaves no other files in public/', async () => {
  await using site = await keyedSite();
  await run('build', '--root', site.root);
  await mkdir(join(site.root, SIGNATURE_FILE));
  const before = await readdir(join(site.root, 'public/api/v1'));
  const {code, err} = await run('sign', 'catalogue', '--signing-key-file', keyFile(site), '--root', site.root);
  assert.equal(code, 1);
  assert.match(err, /^public\/api\/v1\/index\.json\.jws [^\n]+\n$/);
  assert.deepEqual(await readdir(join(site.root, 'public/api/v1')), before);
});

test('a build refuses keys that do not belong together', async () => {
  await using site = await keyedSite();
  const {kid, x} = await signingIn(site);
  const other = await newSigningKey();
  const until = '2026-05-01';
  for (const [signing, says] of [
    [
      {kid: other.kid, x},
      /^data\/site\.json:\d+: signing\.kid "\S+" is not the thumbprint of x \(RFC 7638\), which is /,
    ],
    [{kid, x: 'short'}, /signing\.x "short" is not an Ed25519 public key/],
    [{kid, x: `AQ${'A'.repeat(41)}`}, /signing\.x "\S+" is a weak key: signatures by it can be forged$/m],
    [{kid, x: `Ag${'A'.repeat(41)}`}, /signing\.x "\S+" is not an Ed25519 key$/m],
    [{kid, x, since: 'May'}, /signing\.since "May" is not a date such as/],
    [{kid, x, former: [{kid, x, until}]}, /signing\.kid "\S+" is listed twice/],
    [
      {kid, x, former: [{kid: other.kid, x: other.x, until, signed_next: 'e30.e30.e30'}]},
      /signing\.former\[0\]\.signed_next "e30\.e30\.e30" is not by this key over the next one, /,
    ],
    [
      {kid, x, former: [{kid: other.kid, x: other.x, since: '2026-06-01', until}]},
      /signing\.former\[0\]\.until \S+ is before/,
    ],
  ] as const) {
    await site.write('data/site.json', {...SITE, signing});
    const {code, err} = await site.build();
    assert.equal(code, 1);
    assert.match(err, says);
  }
});

test('deploy refuses a site without a signature by its key, and signs if it has that key', async () => {
  await using site = await keyedSite();
  const {root} = site;
  const key = await keyIn(keyFile(site));
  const ready = (given?: SigningKey, acts = true) => preflight(root, 'aws', given, {acts});
  await ready(key, false);
  await assert.rejects(ready(), /fails "signature": is missing/, 'a dry run writes no signature');
  await ready(key);
  await ready();
  const other = await newSigningKey();
  await site.write('data/site.json', {...SITE, signing: {kid: other.kid, x: other.x}});
  await site.commit();
  await assert.rejects(ready(), /fails "signature": has the kid/);
  await assert.rejects(ready(key), /is not the key that was given/);
});

test('deploy puts signature and catalogue to S3 last, one after the other', async () => {
  await using site = await keyedSite();
  await using server = await s3Server({publicAccessBlock: accessBlock(true)});
  const args = ['s3', '--root', site.root, '--bucket', BUCKET, '--endpoint-url', server.url, '--yes'];
  const {code, err} = await runScript('deploy', args, {...account, FROZEN_SIGNING_KEY_FILE: keyFile(site)});
  assert.equal(code, 0, err);
  assert.deepEqual(
    server.writes.slice(-2),
    [paths.signature, paths.catalogue].map(path => `PUT /${BUCKET}${path}`),
  );
  const {ContentType: type} = await server.s3.headObject({Bucket: BUCKET, Key: paths.signature.slice(1)});
  assert.equal(type, 'application/jose');
});

test('a gate serves the signature of its build, and reloads a later one', async () => {
  await using site = await keyedSite();
  const lines: string[] = [];
  const ledger = await openSqlite(':memory:');
  const gate = await serveSite(await openSite(site.root), {
    ...{port: 0, host: '127.0.0.1', ledger, onError: console.error},
    onBuild: line => lines.push(line),
  });
  const get = async (path: string) => {
    const answer = await fetch(gate.url + path);
    return {status: answer.status, type: answer.headers.get('Content-Type'), text: await answer.text()};
  };
  assert.equal((await get(paths.signature)).status, 404);
  assert.equal((await run('sign', 'catalogue', '--root', site.root, '--signing-key-file', keyFile(site))).code, 0);
  while ((await get(paths.signature)).status === 404) await sleep(50);
  const signature = await readFile(join(site.root, SIGNATURE_FILE), 'utf8');
  assert.deepEqual(await get(paths.signature), {status: 200, type: 'application/jose', text: signature});
  await using served = await serveProcess(site.root);
  for (const origin of [gate.url, served.url])
    for (const [path, type] of [
      [paths.signature, 'application/jose'],
      ['/.well-known/jwks.json', 'application/jwk-set+json'],
      ['/.well-known/did.json', 'application/did+json'],
    ] as const)
      assert.equal((await fetch(origin + path)).headers.get('Content-Type'), type);
  const {text: catalogue} = await get(paths.catalogue);

  await writeFile(join(site.root, SIGNATURE_FILE), 'another');
  assert.deepEqual([(await get(paths.catalogue)).text, (await get(paths.signature)).text], [catalogue, signature]);
  await gate.takeOver();
  assert.match(lines.at(-1) ?? '', /index\.json\.jws is not a compact JWS .*Buyers would refuse the catalogue/);
  await rm(join(site.root, SIGNATURE_FILE));
  await gate.stop();
  await ledger.close();
});
