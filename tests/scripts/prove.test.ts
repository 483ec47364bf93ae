import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {recoverMessageAddress} from 'viem';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {frozen} from '../../scripts/program.ts';
import {denySite, SITE, type SiteFixture} from '../build/site-fixture.ts';
import type {Ran} from './script-run.ts';
import {readJson} from '../build/tree.ts';
import {plainErrors} from '../plain-errors.ts';

/** A site with the accounts of these keys as payees, each on another network. */
async function siteOf(...keys: readonly `0x${string}`[]): Promise<SiteFixture> {
  const site = await denySite();
  const networks = ['eip155:84532', 'eip155:421614'];
  const accepts = keys.map((key, at) => ({network: networks[at], pay_to: privateKeyToAccount(key).address}));
  await site.write('data/site.json', {...SITE, hosts: ['serve'], payment: {...SITE.payment, accepts}});
  return site;
}

async function prove(site: SiteFixture, ...args: readonly string[]): Promise<Ran> {
  const texts = {out: '', err: ''};
  const code = await frozen(['sign', 'ownership', '--root', site.root, ...args], {
    out: {write: (text: string) => (texts.out += text)},
    err: {write: (text: string) => (texts.err += text)},
  });
  return {code, out: texts.out, err: plainErrors(texts.err)};
}

async function keyFile(site: SiteFixture, key: string): Promise<string> {
  const file = join(site.root, 'payee.key');
  await writeFile(file, key, {mode: 0o600});
  return file;
}

const siteText = (site: SiteFixture) => readFile(join(site.root, 'data/site.json'), 'utf8');

async function publishedProofs(site: SiteFixture): Promise<readonly `0x${string}`[] | undefined> {
  const {code, err} = await site.build();
  assert.equal(code, 0, err);
  const description = await readJson(site.root, 'public/openapi.json');
  return (description['x-discovery'] as {ownershipProofs: `0x${string}`[]} | undefined)?.ownershipProofs;
}

test('a payee proves with a key in a file: the build publishes the signature, and the rest of site.json is unchanged', async () => {
  const key = generatePrivateKey();
  await using site = await siteOf(key);
  assert.equal(await publishedProofs(site), undefined);
  const before = await siteText(site);
  const {code, out, err} = await prove(site, '--key-file', await keyFile(site, key));
  assert.equal(code, 0, err);
  assert.ok(!(out + err).includes(key.slice(2)), 'the key is not shown');
  const [proof = '0x', ...more] = (await publishedProofs(site)) ?? [];
  assert.deepEqual(more, []);
  const signer = await recoverMessageAddress({message: SITE.base_url, signature: proof});
  assert.equal(signer, privateKeyToAccount(key).address);
  assert.ok((await siteText(site)).startsWith(before.slice(0, before.lastIndexOf('\n}'))));
});

test('proves with a signature made elsewhere, once for each payee', async () => {
  const keys = [generatePrivateKey(), generatePrivateKey()] as const;
  await using site = await siteOf(...keys);
  const {out: message} = await prove(site, '--print-message');
  assert.equal(message, `${SITE.base_url}\n`);
  const signatures = await Promise.all(
    keys.map(key => privateKeyToAccount(key).signMessage({message: message.trimEnd()})),
  );
  for (const signature of [...signatures, ...signatures])
    assert.equal((await prove(site, '--signature', signature)).code, 0);
  assert.deepEqual(await publishedProofs(site), signatures);
});

test('refuses a signature by another account, or for another address, and does not change site.json', async () => {
  const key = generatePrivateKey();
  await using site = await siteOf(key);
  const before = await siteText(site);
  const otherAccount = privateKeyToAccount(generatePrivateKey());
  for (const signature of [
    await otherAccount.signMessage({message: SITE.base_url}),
    await privateKeyToAccount(key).signMessage({message: `${SITE.base_url}/`}),
    `0x${'f'.repeat(130)}`,
  ]) {
    const {code, err} = await prove(site, '--signature', signature);
    assert.equal(code, 1);
    assert.match(err, /^The signature is not by a payee, 0x[0-9a-fA-F]{40}, over https:\/\/test\.example\n$/);
  }
  assert.equal(await siteText(site), before);
});

test('a build refuses a proof for an earlier address, until the payee proves the new one', async () => {
  const key = generatePrivateKey();
  await using site = await siteOf(key);
  const file = await keyFile(site, key);
  await prove(site, '--key-file', file);
  await site.write('data/site.json', (await siteText(site)).replace(SITE.base_url, 'https://moved.example'));
  const {code, err} = await site.build();
  assert.equal(code, 1);
  const rule =
    /^data\/site\.json:\d+: ownership_proofs\[0\] "0x\S+ is not signed by a payee of this site for https:\/\/moved\.example\n$/;
  assert.match(err, rule);
  assert.equal((await prove(site, '--key-file', file)).code, 0);
  assert.equal((await publishedProofs(site))?.length, 1);
});

for (const [args, code, says] of [
  [['--signature', '0x12'], 2, / is invalid: expected 0x and 130/],
  [['--print-message', '--key-file', 'x'], 2, /cannot be used with/],
  [[], 2, /wallet is missing$/m],
] as const)
  test(`ends ${args.join(' ') || 'without a key'} with ${code}`, async () => {
    await using site = await denySite();
    const ended = await prove(site, ...args);
    assert.equal(ended.code, code);
    assert.match(ended.err, says);
  });
