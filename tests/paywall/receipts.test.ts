import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {after, afterEach, before, beforeEach, describe, test} from 'node:test';
import type {PaymentRequired, SettleResponse} from '@x402/core/types';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
  type JWSSignedOffer,
  type JWSSignedReceipt,
} from '@x402/extensions/offer-receipt';
import {decodeProtectedHeader} from 'jose';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {offerChecks} from '../../buyer/verify/receipt-payload.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {shaped} from '../../shared/shaped.ts';
import {catalogueSchema, type Catalogue, type Entry} from '../../shared/shapes.ts';
import {newSigningKey} from '../../shared/signing-key.ts';
import {baseUrl, fixtureSite, payTo} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {lengthen, path, until} from './shop.ts';
import {signedIn} from './sign-in.ts';
import {signedSite, type SignedSite} from './signed-site.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const other = '/api/v1/firstlastsame';

describe('a gate with the key of its site', () => {
  let site: SignedSite;
  let facilitator: StandIn;
  let ledger: Ledger;
  let gate: Listening;
  let buyer: PrivateKeyAccount;

  before(async () => {
    facilitator = await startStandIn();
  });
  beforeEach(async () => {
    site = await signedSite();
    ledger = await openSqlite(':memory:');
    gate = await startGate(site.root, facilitator.url, {ledger, signingKey: site.key});
    buyer = privateKeyToAccount(generatePrivateKey());
    facilitator.settle = 'good';
  });
  afterEach(async () => {
    await gate.stop();
    await ledger.close();
    await site.remove();
  });
  after(() => facilitator.stop());

  test('signs its offers, with the digest of the document, in a form that a stock client reads', async () => {
    const required = await bodyOf(await fetch(gate.url + path));
    const [signed] = extractOffersFromPaymentRequired(required);
    const [offer] = decodeSignedOffers(signed ? [signed] : []);
    assert.deepEqual(findAcceptsObjectFromSignedOffer(offer ?? assert.fail(), required.accepts), required.accepts[0]);
    const said = await verifyOfferSignatureJWS(signed as JWSSignedOffer, publicKey());
    const [asked] = required.accepts;
    assert.deepEqual(said, {
      ...{version: 1, resourceUrl: baseUrl + path, scheme: 'exact', network: 'eip155:84532'},
      ...{asset: asked?.asset, payTo, amount: '20000', price: '$0.02', validUntil: said.validUntil},
      ...{sha256: sha256(site.files.get(path) ?? ''), as_of: '2026-05-01T00:00:00.000Z'},
    });
    const left = said.validUntil - Date.now() / 1000;
    assert.ok(left >= (asked?.maxTimeoutSeconds ?? 0) - 1 && left <= 600, `${left} s`);
    const header = decodeProtectedHeader((signed as JWSSignedOffer).signature);
    assert.deepEqual(header, {alg: 'EdDSA', kid: `did:web:snapshots.example#${site.key.kid}`});
  });

  test('signs an offer once for all requests, including refused ones', async () => {
    const offers = async (answer: Response) => extractOffersFromPaymentRequired(await bodyOf(answer));
    const first = await offers(await fetch(gate.url + path));
    const refused = await fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': 'none'}});
    assert.equal(requiredIn(refused).error, 'invalid_payload');
    // A period of five minutes may end between them.
    if (JSON.stringify(await offers(await fetch(gate.url + path))) === JSON.stringify(first))
      assert.deepEqual(await offers(refused), first);
    assert.notDeepEqual(await offers(await fetch(gate.url + other)), first);
  });

  test('signs the offer that frozen verify derives from the catalogue', async () => {
    const body = new Uint8Array(await (await fetch(gate.url + path)).arrayBuffer());
    const {value: catalogue} = shaped(catalogueSchema, site.catalogue) as {value: Catalogue};
    const [entry = assert.fail(), another = assert.fail()] = catalogue.products;
    const states = async (body: Uint8Array, product: Entry, signing?: PublicKey) => {
      const checks = await offerChecks(body, path, product, {...catalogue, ...(signing && {signing})});
      return checks.map(({state, detail}) => `${state}: ${detail}`);
    };
    assert.deepEqual(await states(body, entry), ['passed: are signed by the key of the site']);
    const long = `${new TextDecoder().decode(body)}${' '.repeat(1024 * 1024)}`;
    for (const none of ['', '{}', 'no JSON', long])
      assert.match(String(await states(Buffer.from(none), entry)), /^noted: are not signed/);
    assert.match(String(await states(body, {...entry, price: '$0.03'})), /^failed: says price "\$0\.02"/);
    assert.match(String(await states(body, another)), /^failed: says sha256/);
    assert.match(String(await states(body, entry, await newSigningKey())), /^failed: is not signed by the key/);
  });

  test('signs a receipt for the paid and delivered document, in a form that a stock client reads', async () => {
    const asked = await fetch(gate.url + path);
    const [offer] = decodeSignedOffers(extractOffersFromPaymentRequired(await bodyOf(asked)));
    const answer = await pay();
    const receipt = extractReceiptFromResponse(answer) as JWSSignedReceipt;
    assert.ok(verifyReceiptMatchesOffer(receipt, offer ?? assert.fail(), [buyer.address]));
    const said = await verifyReceiptSignatureJWS(receipt, publicKey());
    const [sale] = await ledger.list({limit: 1});
    assert.ok(Math.abs(said.issuedAt - Date.now() / 1000) < 60);
    assert.deepEqual(said, {
      ...{version: 1, network: 'eip155:84532', resourceUrl: baseUrl + path, payer: buyer.address.toLowerCase()},
      ...{issuedAt: said.issuedAt, transaction: decoded(answer, 'PAYMENT-RESPONSE').transaction},
      ...{asset: sale?.asset, payTo, amount: '20000', price: '$0.02'},
      ...{sha256: sha256(await answer.text()), as_of: '2026-05-01T00:00:00.000Z'},
    });
  });

  test('signs the same sale for each further download, with the digest of the sent document', async () => {
    const bought = await said(await pay());
    await delivered();
    const again = await fetch(gate.url + path, {headers: {'SIGN-IN-WITH-X': await signedIn(gate.url + path, buyer)}});
    assert.deepEqual({...(await said(again)), issuedAt: 0}, {...bought, issuedAt: 0});
    await lengthen(site.root, 1_000);
    await using later = await startGate(site.root, facilitator.url, {ledger, signingKey: site.key});
    const earlier = {'Snapshot-SHA256': String(bought['sha256'])};
    const signIn = await signedIn(later.url + path, buyer);
    const kept = await fetch(later.url + path, {headers: {'SIGN-IN-WITH-X': signIn, ...earlier}});
    assert.equal(sha256(await kept.clone().text()), bought['sha256']);
    assert.deepEqual({...(await said(kept)), issuedAt: 0}, {...bought, issuedAt: 0});
  });

  test('signs the original sale for a document that is collected later, with the digest of the sent document', async () => {
    await pay();
    await delivered();
    const late = privateKeyToAccount(generatePrivateKey());
    const sale = (await ledger.list({limit: 1}))[0] ?? assert.fail();
    const transaction = `0x${'cd'.repeat(32)}`;
    await ledger.start({...sale, key: 'late', payer: late.address.toLowerCase(), sha256: '0'.repeat(64)}, 'me');
    await ledger.move('late', 'me', {to: 'settled', transaction});
    facilitator.submitted.length = 0;
    buyer = late;
    const answer = await pay();
    assert.equal(facilitator.submitted.length, 0);
    const receipt = await said(answer);
    assert.deepEqual([receipt['transaction'], receipt['payer']], [transaction, late.address.toLowerCase()]);
    assert.equal(receipt['sha256'], sha256(await answer.text()));
  });

  test('signs no receipt if no document was delivered', async () => {
    for (const manner of [{refuse: 'insufficient_funds'}, 'drop'] as const) {
      facilitator.settle = manner;
      const answer = await pay();
      assert.ok(answer.status >= 400);
      assert.equal(extractReceiptFromResponse(answer), undefined);
    }
  });

  async function pay(): Promise<Response> {
    const signature = await paymentFor(decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED'), buyer);
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': signature}});
  }

  /** Verifies the signature of the receipt in a response, and returns its contents. */
  async function said(answer: Response): Promise<Record<string, unknown>> {
    assert.equal(answer.status, 200, await answer.clone().text());
    const receipt = extractReceiptFromResponse(answer) as JWSSignedReceipt;
    return {...(await verifyReceiptSignatureJWS(receipt, publicKey()))};
  }

  function publicKey() {
    return {kty: 'OKP', crv: 'Ed25519', x: site.key.x, alg: 'EdDSA'};
  }

  async function delivered(): Promise<void> {
    const isDelivered = async () =>
      (await ledger.list({limit: 9})).every(({state}) => state === 'delivered') || undefined;
    await until(isDelivered);
  }
});

describe('a gate without a key', () => {
  test('has the responses of a gate without signatures, although its site has a key', async () => {
    const facilitator = await startStandIn();
    const [plain, signed] = [await fixtureSite(), await signedSite()];
    for (const {root} of [plain, signed]) {
      await using gate = await startGate(root, facilitator.url);
      const asked = await fetch(gate.url + path);
      assert.deepEqual(Object.keys(requiredIn(asked).extensions ?? {}).sort(), [
        ...['bazaar', 'payment-identifier', 'sign-in-with-x', 'snapshot'],
      ]);
      const signature = await paymentFor(decoded(asked, 'PAYMENT-REQUIRED'), privateKeyToAccount(generatePrivateKey()));
      const answer = await fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': signature}});
      assert.equal(answer.status, 200);
      assert.equal('extensions' in decoded(answer, 'PAYMENT-RESPONSE'), false);
    }
    await facilitator.stop();
    await Promise.all([plain.remove(), signed.remove()]);
  });

  test('does not start with a key that is not that of the site', async () => {
    const [plain, signed] = [await fixtureSite(), await signedSite()];
    const signingKey = await newSigningKey();
    const start = (root: string) => startGate(root, 'http://127.0.0.1:1', {signingKey});
    await assert.rejects(
      start(plain.root),
      /^SiteError: The signing key \S+ is set, but the site does not declare one/,
    );
    await assert.rejects(
      start(signed.root),
      /^SiteError: The signing key \S+ is not the key of the site, \S+: see signing/,
    );
    await Promise.all([plain.remove(), signed.remove()]);
  });
});

function requiredIn(answer: Response): PaymentRequired & Pick<SettleResponse, 'extensions'> {
  return decoded(answer, 'PAYMENT-REQUIRED') as unknown as PaymentRequired;
}

/** Returns the body of a 402, which is also a PaymentRequired of x402. */
async function bodyOf(answer: Response): Promise<PaymentRequired> {
  return (await answer.json()) as PaymentRequired;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
