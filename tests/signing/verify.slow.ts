import assert from 'node:assert/strict';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {signDetached} from '../../shared/detached-signature.ts';
import {signNext} from '../../shared/next-key.ts';
import {CATALOGUE_FILE, paths, SIGNATURE_FILE} from '../../shared/paths.ts';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {inFrontOf} from '../scripts/raw-server.ts';
import {publicOf, signedSite, type SignedSite} from './signed-site.ts';

const JWKS = 'public/.well-known/jwks.json';
const facilitator = 'https://facilitator.example';

describe('frozen verify of a signed site', () => {
  let site: SignedSite;
  const otherKey: Promise<SigningKey> = newSigningKey();
  before(async () => {
    site = await signedSite();
  });
  after(() => site[Symbol.asyncDispose]());

  /** Signs the current catalogue with any key. */
  async function sign({root}: SignedSite, key: SigningKey): Promise<void> {
    await writeFile(join(root, SIGNATURE_FILE), await signDetached(await readFile(join(root, CATALOGUE_FILE)), key));
  }

  test('accepts the key in data/site.json, and each way to pin it', async () => {
    const {key, root} = site;
    for (const pin of [undefined, key.kid, key.x, join(root, 'data/site.json'), join(root, CATALOGUE_FILE)])
      assert.deepEqual(await site.faults({siteKey: pin}), []);
    await assert.rejects(
      site.faults({siteKey: join(root, 'data/products/soft-fail-3.json')}),
      /contains no Ed25519 key/,
    );
  });

  const attacks: readonly (readonly [string, (site: SignedSite) => Promise<unknown>, RegExp])[] = [
    [
      'a catalogue that changed since',
      copy => copy.edit(CATALOGUE_FILE, text => text.replace('$0.02', '$0.03')),
      /over these bytes/,
    ],
    ['no signature', ({root}) => rm(join(root, SIGNATURE_FILE)), /is missing/],
    [
      'the signature of another site, and its key in place of this one',
      async copy => {
        const evil = await otherKey;
        for (const file of [CATALOGUE_FILE, JWKS])
          await copy.edit(file, text => text.replaceAll(site.key.kid, evil.kid).replaceAll(site.key.x, evil.x));
        await sign(copy, evil);
      },
      /is not \S+, which data\/site\.json names, and was not signed by it as the next one/,
    ],
    [
      'a chain of keys that is forged',
      async copy => {
        const evil = await otherKey;
        for (const file of [CATALOGUE_FILE, JWKS])
          await copy.edit(file, text => text.replaceAll(site.key.kid, evil.kid).replaceAll(site.key.x, evil.x));
        const former = {kty: 'OKP', crv: 'Ed25519', ...publicOf(site.key), signed_next: await signNext(evil, evil)};
        await copy.edit(JWKS, text => text.replace('"keys": [', `"keys": [${JSON.stringify(former)},`));
        await sign(copy, evil);
      },
      /names a next key for \S+ that is not signed by this key/,
    ],
    [
      'a catalogue without its key, like that of a site without a key',
      copy => copy.edit(CATALOGUE_FILE, text => text.replace(/ {2}"signing": {[^}]*},\n/, '')),
      /names no key, but data\/site\.json names the key \S+/,
    ],
    [
      'a key under the name of another',
      async copy => {
        const {x} = await otherKey;
        await copy.edit(CATALOGUE_FILE, text => text.replace(site.key.x, x));
      },
      /names a key as \S+, and its thumbprint is/,
    ],
    [
      'a duplicate member in signed JSON',
      async copy => {
        await copy.edit(CATALOGUE_FILE, text => text.replace('"title"', '"title": "Another", "title"'));
        await sign(copy, site.key);
      },
      /title repeats|twice|already/,
    ],
    [
      'a JWK set without the key',
      async ({root}) => writeFile(join(root, JWKS), '{"keys": []}'),
      /lacks the key of the catalogue/,
    ],
  ];
  for (const [name, attack, says] of attacks)
    test(`reports ${name}`, async () => {
      await using copy = await site.copy();
      await attack(copy);
      const faults = await copy.faults().catch((error: unknown) => [String(error)]);
      assert.match(faults.join('\n'), says);
    });

  test('trusts a new key, and says so, and reports an attacker with --site-key', async () => {
    await using copy = await site.copy();
    const evil = await otherKey;
    await copy.name(publicOf(evil), evil);
    await rm(join(copy.root, 'data'), {recursive: true});
    assert.deepEqual(await copy.faults(), []);
    const [fault = ''] = await copy.faults({siteKey: site.key.kid});
    assert.match(fault, /is not \S+, which --site-key names, and was not signed by it/);
  });

  test('uses the key of a saved catalogue, also if data/site.json names another one', async () => {
    await using copy = await site.copy();
    const kept = {signing: publicOf(site.key)};
    const evil = await otherKey;
    await copy.name(publicOf(evil), evil);
    assert.match(
      (await copy.faults({saved: kept})).join(),
      /is not \S+, which --saved-catalogue names, and was not signed by it/,
    );
    assert.deepEqual(await copy.faults({saved: kept, siteKey: evil.kid}), []);
    await copy.edit(CATALOGUE_FILE, text => text.replace(/ {2}"signing": {[^}]*},\n/, ''));
    assert.match((await copy.faults({saved: kept})).join(), /names no key, but --saved-catalogue names the key \S+/);
  });

  test('accepts a rotated key after each previous one, and after no other', async () => {
    await using copy = await site.copy();
    const next = await newSigningKey();
    const ended = {...publicOf(site.key), until: '2026-05-01', signed_next: await signNext(site.key, next)};
    await copy.name({...publicOf(next), since: '2026-05-01', former: [ended]}, next);
    assert.deepEqual(await copy.faults(), []);
    assert.deepEqual(await copy.faults({siteKey: site.key.kid}), []);
    assert.deepEqual(await copy.faults({siteKey: site.key.x}), []);
    const {kid} = await otherKey;
    assert.match((await copy.faults({siteKey: kid})).join(), /was not signed by it as the next one/);
    // The previous key is lost, so for a buyer who knows it the next one could be an attacker's.
    await copy.name({...publicOf(next), former: [{...publicOf(site.key), until: '2026-05-01'}]}, next);
    assert.match((await copy.faults({siteKey: site.key.kid})).join(), /was not signed by it as the next one/);
  });

  test('waits a little for a host that still has the signature of the previous deployment', async () => {
    await using gate = await startGate(site.root, facilitator);
    const live = await readFile(join(site.root, SIGNATURE_FILE), 'utf8');
    const before = await signDetached(Buffer.from('{}'), site.key);
    const asked: string[] = [];
    await using front = await inFrontOf(gate.url, ({target, body}) => {
      if (target !== paths.signature) return undefined;
      asked.push(body.toString());
      return asked.length === 1 ? {body: before} : undefined;
    });
    assert.deepEqual(await site.faults({target: front.url, root: site.root}), []);
    assert.deepEqual(asked, [live, live]);
  });

  test('reports a gate with another signature, and one without a signature', async () => {
    await using copy = await site.copy();
    await copy.edit(SIGNATURE_FILE, text => `${text.slice(0, 10)}AAAA${text.slice(14)}`);
    await using later = await startGate(copy.root, facilitator);
    assert.match((await site.faults({target: later.url, root: site.root})).join(), /header that is not a JSON object/);
    await rm(join(copy.root, SIGNATURE_FILE));
    await using never = await startGate(copy.root, facilitator);
    assert.match((await site.faults({target: never.url, root: site.root})).join(), /answers 404/);
  });
});
