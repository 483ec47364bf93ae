import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {base64url, CompactSign, importJWK, type JWK} from 'jose';
import {signerFor} from '../../paywall/site/site-signer.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import type {Check} from '../../buyer/verify/check.ts';
import {tableOf} from '../../scripts/verify/report.ts';
import {verifyReceipt, type ReceiptOptions} from '../../buyer/verify/verify-receipt.ts';
import {sha256} from '../../shared/digest.ts';
import {signNext} from '../../shared/next-key.ts';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {signedSite, type SignedSite} from '../paywall/signed-site.ts';

const origin = 'https://snapshots.example';
const text = '{"name": "softfail3"}\n';
const payer = `0x${'11'.repeat(20)}`;
const sale = {
  ...{version: 1, network: 'eip155:84532', resourceUrl: `${origin}/api/v1/softfail3`, payer, issuedAt: 1_777_713_240},
  ...{transaction: `0x${'ab'.repeat(32)}`, asset: `0x${'22'.repeat(20)}`, payTo: `0x${'33'.repeat(20)}`},
  ...{amount: '20000', price: '$0.02', sha256: sha256(text), as_of: '2026-05-01T00:00:00.000Z'},
};
const {transaction, network, asset, payTo, amount} = sale;
const kept = {transaction, network, asset, payer, payTo, amount, nonce: `0x${'44'.repeat(32)}`};

describe('frozen verify of a receipt', () => {
  let folder: string;
  let key: SigningKey;
  let other: SigningKey;
  let jws: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'receipt-'));
    [key, other] = [await newSigningKey(), await newSigningKey()];
    jws = await signedBy(key, sale);
    await writeFile(join(folder, 'document.json'), text);
  });
  after(() => rm(folder, {recursive: true}));

  test('shows offline what the seller confirmed, and compares the document', async () => {
    const checks = await verified(jws, {siteKey: key.kid, document: join(folder, 'document.json')});
    assert.deepEqual(failures(checks), []);
    const reported = checks.map(({detail}) => detail).join('\n');
    for (const fact of [key.kid, payer, '$0.02', 'Base Sepolia', sale.payTo, sale.transaction, sale.resourceUrl])
      assert.ok(reported.includes(fact), fact);
    assert.match(reported, /the seller confirmed at 2026-05-02T09:14:00\.000Z that /);
    assert.match(reported, new RegExp(`SHA-256 ${sale.sha256}\nis the document of the receipt$`));
  });

  test('shows the payment and the document on the terminal', async () => {
    const document = join(folder, 'document.json');
    const table = tableOf(await verified(jws, {siteKey: key.kid, document}), false);
    for (const fact of [payer, sale.transaction, sale.resourceUrl, sale.sha256]) assert.ok(table.includes(fact), fact);
  });

  test('accepts the key as a thumbprint, as text, or in a file', async () => {
    const {kid, x} = key;
    const files = {jwk: key, jwks: {keys: [{kty: 'EC'}, {x, kid}, other]}, site: {title: 'Site', signing: {kid, x}}};
    const signed_next = await signNext(key, other);
    const former = {signing: {kid: other.kid, x: other.x, former: [{kid, x, until: '2026-06-01', signed_next}]}};
    for (const value of [kid, x, ...Object.values({...files, former})]) {
      const file = join(folder, 'key.json');
      if (typeof value === 'object') await writeFile(file, JSON.stringify(value));
      assert.deepEqual(failures(await verified(jws, {siteKey: typeof value === 'string' ? value : file})), []);
    }
    await writeFile(join(folder, 'key.json'), '{"title": "Site"}');
    await assert.rejects(verified(jws, {siteKey: join(folder, 'key.json')}), /contains no Ed25519 key/);
  });

  test('ignores an invalid key in the file', async () => {
    const receipt = {...kept, receipt: {format: 'jws', signature: jws}};
    for (const x of ['', 'not a key', 7]) {
      const value = {...receipt, signing: {kid: key.kid, x}};
      assert.deepEqual(failures(await checked(value, {siteKey: key.x})), []);
      assert.match(failures(await checked(value, {siteKey: key.kid})).join(), /a kid does not contain the key/);
    }
  });

  test('reads only the extension of x402', async () => {
    const receipt = {format: 'jws', signature: jws};
    for (const value of [receipt, {info: {receipt}, schema: {}}])
      assert.deepEqual(failures(await checked(value, {siteKey: key.x})), []);
    assert.match(
      failures(await checked(receipt, {siteKey: key.kid})).join(),
      /a kid does not contain the key: pass its x/,
    );
  });

  test('does not take the key from the receipt itself', async () => {
    await assert.rejects(verified(jws, {siteKey: join(folder, 'receipt.json')}), /contains no Ed25519 key of a seller/);
  });

  test('reads the key from the site', async () => {
    const site: SignedSite = await signedSite();
    const own = await signedBy(site.key, sale);
    const ofReceipt = (checks: readonly Check[]) => failures(checks.filter(({subject}) => subject === 'receipt.json'));
    assert.deepEqual(ofReceipt(await verified(own, {site: site.root})), []);
    assert.match(ofReceipt(await verified(jws, {site: site.root})).join(), /is not the expected one/);
    // Previous keys of the site. Each signed the next one, except a lost key.
    const [former, lost] = [await newSigningKey(), await newSigningKey()];
    const keys = [
      jwkOf(site.key),
      {...jwkOf(former), signed_next: await signNext(former, site.key), exp: sale.issuedAt + 1},
      jwkOf(lost),
    ];
    await mkdir(join(site.root, 'public/.well-known'), {recursive: true});
    await writeFile(join(site.root, 'public/.well-known/jwks.json'), JSON.stringify({keys}));
    for (const by of [site.key, former])
      assert.deepEqual(ofReceipt(await verified(await signedBy(by, sale), {site: site.root})), []);
    for (const by of [lost, key])
      assert.match(
        ofReceipt(await verified(await signedBy(by, sale), {site: site.root})).join(),
        /is not the expected one, nor a former key of the site that leads to it/,
      );
    const doubtsOf = async (receipt: object) =>
      (await verified(await signedBy(former, receipt), {site: site.root})).flatMap(({state, subject, detail}) =>
        state === 'noted' && subject === 'receipt.json' ? [detail] : [],
      );
    assert.deepEqual(await doubtsOf(sale), []);
    const [future, late, unsold] = await doubtsOf({
      ...{...sale, issuedAt: Math.floor(Date.now() / 1000) + 3600},
      resourceUrl: `${origin}/api/v1/shares`,
    });
    assert.match(future ?? '', /is dated in the future, \d/);
    assert.match(late ?? '', /is dated \S+, after the last day of the key that signed it/);
    assert.match(unsold ?? '', /is for \S+shares, which the site does not sell now/);
    // With a named site, the receipt must be of that site, because its key could sign anything about others.
    const other = {base_url: 'https://other.example', signing: site.key};
    const resourceUrl = 'https://other.example/api/v1/softfail3';
    const foreign = await (await signerFor(other, site.key))({...sale, resourceUrl});
    for (const siteKey of [undefined, site.key.x])
      assert.match(
        ofReceipt(await verified(foreign, {site: site.root, siteKey})).join(),
        /is for https:\/\/other\.example\S+, which is not a document of the given site/,
      );
    await using host = await listen({
      fetch: ({url}) => new Response(new Uint8Array(readFileSync(join(site.root, 'public', new URL(url).pathname)))),
    });
    const elsewhere = (await verified(own, {site: host.url})).find(({what}) => what === 'address');
    assert.match(
      elsewhere?.detail ?? '',
      /read at http:\/\/127\.0\.0\.1\S+; its documents name https:\/\/snapshots\.example/,
    );
    await site.remove();
  });

  test('proves nothing with a key that only the receipt names, and explains which key is needed', async () => {
    const [fault] = failures(await verified(jws, {}));
    assert.match(fault ?? '', new RegExp(`names its own key, ${key.kid}, which proves nothing: pass`));
  });

  test('reports a receipt that is not signed', async () => {
    assert.match(failures(await checked(kept, {siteKey: key.x})).join(), /contains no signed receipt/);
  });

  test('names the file that cannot be read', async () => {
    const missing = join(folder, 'missing.json');
    await assert.rejects(verified(jws, {siteKey: key.x, document: missing}), /missing\.json does not exist/);
  });

  test('is for one document only', async () => {
    const document = join(folder, 'other.json');
    await writeFile(document, `${text} `);
    assert.match(
      failures(await verified(jws, {siteKey: key.x, document})).join(),
      /is not the document of the receipt/,
    );
  });

  test('is consistent with the members next to its signature', async () => {
    for (const change of [{amount: '10000'}, {payer: sale.payTo}, {transaction: `0x${'cd'.repeat(32)}`}]) {
      const receipt = {...kept, ...change, receipt: {format: 'jws', signature: jws}};
      assert.match(
        failures(await checked(receipt, {siteKey: key.x})).join(),
        /differs from its signed content, which says \w+ /,
      );
    }
  });

  const attacks: Record<string, [attack: () => Promise<string> | string, reported: RegExp]> = {
    'of another site': [() => signedBy(other, sale), /is not the expected one/],
    'of another site, under the name of this key': [
      () => signedWith(other, {alg: 'EdDSA', kid: `did:web:snapshots.example#${key.kid}`}),
      /is not signed by the key/,
    ],
    'with a changed payload': [
      () => withPart(1, JSON.stringify({...sale, price: '$0.01'})),
      /is not signed by the key .*: it was changed later/,
    ],
    'with a changed signature': [() => jws.slice(0, -6) + 'AAAAAA', /is not signed by the key|is not a compact JWS/],
    'without an algorithm': [
      () => `${headed({alg: 'none'})}.`,
      /has the algorithm "none", not EdDSA, so it proves nothing/,
    ],
    'without an algorithm, with a signature': [() => withHeader({alg: 'none'}), /has the algorithm "none", not EdDSA/],
    'that an HMAC with the public key signs': [
      () => {
        const head = headed({alg: 'HS256'});
        return `${head}.${createHmac('sha256', base64url.decode(key.x)).update(head).digest('base64url')}`;
      },
      /has the algorithm "HS256", not EdDSA/,
    ],
    'with its key in the header': [
      () => signedWith(other, {alg: 'EdDSA', kid: kidOf(key), jwk: {kty: 'OKP', crv: 'Ed25519', x: other.x}}),
      /has jwk in the header/,
    ],
    'with the address of its key in the header': [
      () => withHeader({alg: 'EdDSA', kid: kidOf(key), jku: 'https://evil.example/jwks.json'}),
      /has jku in the header/,
    ],
    'with an extension in the header': [
      () => withHeader({alg: 'EdDSA', kid: kidOf(key), b64: false, crit: ['b64']}),
      /has b64 in the header/,
    ],
    'without the name of a key': [() => withHeader({alg: 'EdDSA'}), /does not name the key/],
    'with a member twice in its header': [
      () => withPart(0, `{"alg":"none","alg":"EdDSA","kid":"${kidOf(key)}"}`),
      /alg.*(twice|more than once|again|already)/i,
    ],
    'with a member twice, signed': [
      () => signedText(key, JSON.stringify(sale).replace('{', '{"price":"$9.00",')),
      /price.*(twice|more than once|again|already)/i,
    ],
    'of this key, for a document of another site': [
      () => signedBy(key, {...sale, resourceUrl: 'https://other.example/api/v1/softfail3'}),
      /is signed by the key \S+, but names it did:web:snapshots\.example#\S+ instead of did:web:other\S+, as https:\/\/other/,
    ],
    'of this key, under another name of a key': [
      () => signedWith(key, {alg: 'EdDSA', kid: 'did:web:snapshots.example#key-1'}),
      /^is signed by the key \S+, but names it did:web:snapshots\.example#key-1 instead of did:web:snapshots\.example#\S+, as https/,
    ],
    'of this key, under the name of another key': [
      () => signedWith(key, {alg: 'EdDSA', kid: kidOf(other)}),
      /^is signed by the key \S+, but names it did:web:snapshots\.example#\S+ instead of did:/,
    ],
    'that is an offer': [
      () => signedBy(key, {...sale, payer: undefined, issuedAt: undefined, validUntil: 1, scheme: 'exact'}),
      /is signed, but its content is invalid: payer is missing/,
    ],
    'of a version to come': [
      () => signedBy(key, {...sale, version: 2}),
      /is signed, but its content is invalid: version is not 1/,
    ],
    'that is not a JWS': [() => 'receipt', /./],
  };
  for (const [name, [attack, reported]] of Object.entries(attacks))
    test(`refuses a receipt ${name}`, async () => {
      const faults = failures(await verified(await attack(), {siteKey: key.x}));
      assert.equal(faults.length, 1, faults.join('\n'));
      assert.match(faults[0] ?? '', reported);
    });

  function verified(signature: string, against: ReceiptOptions): Promise<Check[]> {
    const {kid, x} = key;
    return checked({...kept, signing: {kid, x}, receipt: {format: 'jws', signature}}, against);
  }

  async function checked(receipt: object, against: ReceiptOptions): Promise<Check[]> {
    const target = join(folder, 'receipt.json');
    await writeFile(target, JSON.stringify(receipt));
    return verifyReceipt(target, against);
  }

  function kidOf({kid}: SigningKey): string {
    return `did:web:snapshots.example#${kid}`;
  }

  async function signedBy(by: SigningKey, value: object): Promise<string> {
    return (await signerFor({base_url: origin, signing: by}, by))(value);
  }

  function signedText(by: SigningKey, payload: string): Promise<string> {
    return signedWith(by, {alg: 'EdDSA', kid: kidOf(by)}, payload);
  }

  async function signedWith(
    by: SigningKey,
    header: {alg: string; kid: string; jwk?: JWK},
    payload = JSON.stringify(sale),
  ): Promise<string> {
    const signer = new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader(header);
    return signer.sign(await importJWK({...by}, 'EdDSA'));
  }

  /** Returns header and payload, without a signature. */
  function headed(header: object): string {
    return `${base64url.encode(JSON.stringify({kid: kidOf(key), ...header}))}.${jws.split('.')[1] ?? ''}`;
  }

  function withHeader(header: object): string {
    return withPart(0, JSON.stringify(header));
  }

  function withPart(at: number, part: string): string {
    return jws.split('.').with(at, base64url.encode(part)).join('.');
  }
});

function jwkOf({kid, x}: SigningKey): JWK {
  return {kty: 'OKP', crv: 'Ed25519', kid, x};
}

function failures(checks: readonly Check[]): string[] {
  return checks.filter(({state}) => state === 'failed').map(({detail}) => detail);
}
