import assert from 'node:assert/strict';
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, beforeEach, describe, test} from 'node:test';
import {decodePaymentResponseHeader, encodePaymentResponseHeader} from '@x402/core/http';
import {signerFor} from '../../paywall/site/site-signer.ts';
import {boughtLine} from '../../scripts/buy/report.ts';
import {newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {baseUrl} from '../paywall/fixture-site.ts';
import {runScript} from '../scripts/script-run.ts';
import {altering, fetchAt, newAccount, newFolder, openStall, path, type Stall} from './stall.ts';

/** Decoded values of a header. */
type Said = Record<string, unknown>;

describe('a buyer at a site that signs its offers and receipts', () => {
  let stall: Stall;
  let key: SigningKey;

  before(async () => {
    key = await newSigningKey();
    stall = await openStall({signingKey: key});
  });
  beforeEach(async () => {
    await rm(stall.folder, {recursive: true});
    stall.folder = await newFolder();
    stall.account = newAccount();
  });
  after(() => stall[Symbol.asyncDispose]());

  test('stores offer and receipt, which anyone can check offline', async () => {
    const {kind, folder, unconfirmed} = await stall.buyer().buy(stall.gate.url, 'softfail3');
    assert.deepEqual([kind, unconfirmed], ['bought', undefined]);
    const {offer, receipt, signing} = JSON.parse(await readFile(join(folder, 'receipt.json'), 'utf8')) as Said;
    assert.deepEqual(signing, {kid: key.kid, x: key.x});
    for (const signed of [offer, receipt]) assert.match(JSON.stringify(signed), /^{"format":"jws","signature":"ey/);
    const document = ['--document', join(folder, 'document.json')];
    const {code, out} = await runScript('verify', [
      'receipt',
      join(folder, 'receipt.json'),
      '--site-key',
      key.kid,
      ...document,
      '--all',
    ]);
    assert.equal(code, 0, out);
    assert.match(out, /that 0x\S+ paid \$0\.02 .* on Base Sepolia to 0x/);
    assert.match(out, /✓ {2}document +document\.json +is the document of the receipt/);
    const other = await runScript('verify', [
      'receipt',
      join(folder, 'receipt.json'),
      '--site-key',
      (await newSigningKey()).x,
    ]);
    assert.equal(other.code, 1);
    assert.match(other.out, /✗ {2}key +receipt\.json +is signed by the key \S+, which is not the expected one/);
  });

  test('gets a new receipt for the sale when it downloads again', async () => {
    const buy = async () => stall.buyer({fetch: fetchAt(stall)}).buy(baseUrl, 'softfail3');
    const {transaction} = await buy();
    stall.folder = await newFolder();
    const again = await buy();
    assert.deepEqual([again.kind, again.transaction, again.unconfirmed], ['again', transaction, undefined]);
    const kept = JSON.parse(await readFile(join(again.folder, 'receipt.json'), 'utf8')) as Said;
    assert.ok(kept['receipt'] && kept['offer']);
  });

  const lies: Record<string, [lie: (said: Said) => Promise<Said> | Said, reported: RegExp]> = {
    'that is missing': [() => ({}), /has a signing key, but signed no receipt/],
    'of another key': [
      async said => receiptOf(await signedBy(await newSigningKey(), said)),
      /is not signed by the key/,
    ],
    'of another sale': [
      async said => receiptOf(await signedBy(key, {...said, transaction: `0x${'cd'.repeat(32)}`})),
      /sent a receipt that says transaction "0xcdcd/,
    ],
    'of a lower price': [async said => receiptOf(await signedBy(key, {...said, amount: '1'})), /says amount "1"/],
    'of another payer': [
      async said => receiptOf(await signedBy(key, {...said, payer: newAccount().address})),
      /says payer "0x/,
    ],
    'of another document': [
      async said => receiptOf(await signedBy(key, {...said, sha256: '0'.repeat(64)})),
      /says sha256 "0000/,
    ],
  };
  for (const [name, [lie, reported]] of Object.entries(lies))
    test(`reports a receipt ${name}, and stores the paid document`, async () => {
      const fetch = altering(async (asked, answer) => {
        const header = answer.headers.get('PAYMENT-RESPONSE');
        if (asked !== path || answer.status !== 200 || !header) return answer;
        const settled = decodePaymentResponseHeader(header);
        const changed = {...settled, extensions: await lie(payloadOf(settled.extensions))};
        return replaced(answer, 'PAYMENT-RESPONSE', encodePaymentResponseHeader(changed));
      });
      const bought = await stall.buyer({fetch}).buy(stall.gate.url, 'softfail3');
      assert.match(bought.unconfirmed ?? '', reported);
      assert.match(boughtLine(bought), /\nnoted {3}the site /);
      assert.equal(await readFile(join(bought.folder, 'document.json'), 'utf8'), stall.site.files.get(path));
    });

  const offers: Record<string, [lie: (said: Said) => Promise<string>, reported: RegExp]> = {
    'another key': [async said => signedBy(await newSigningKey(), said), /signed offer is not signed by the key/],
    'another price': [said => signedBy(key, {...said, amount: '1'}), /signed offer says amount "1", not "20000"/],
    'another document': [said => signedBy(key, {...said, sha256: '0'.repeat(64)}), /signed offer says sha256/],
    'the past': [said => signedBy(key, {...said, validUntil: 1}), /signed offer has expired/],
  };
  for (const [name, [lie, reported]] of Object.entries(offers))
    test(`pays nothing for an offer of ${name}`, async () => {
      const settled = stall.facilitator.submitted.length;
      const fetch = altering(async (asked, answer) => {
        if (asked !== path || answer.status !== 402) return answer;
        const {extensions} = (await answer.json()) as Said;
        const info = {offers: [{format: 'jws', signature: await lie(payloadOf(extensions))}]};
        return Response.json({extensions: {'offer-receipt': {info}}}, answer);
      });
      await assert.rejects(stall.buyer({fetch}).buy(stall.gate.url, 'softfail3'), reported);
      assert.equal(stall.facilitator.submitted.length, settled);
    });

  async function signedBy(by: SigningKey, said: Said): Promise<string> {
    return (await signerFor({base_url: baseUrl, signing: by}, by))(said);
  }
});

function receiptOf(signature: string): Said {
  return {'offer-receipt': {info: {receipt: {format: 'jws', signature}}}};
}

/** Returns the contents of the signature among the extensions. */
function payloadOf(extensions: unknown): Said {
  const [, jws = ''] = /"signature":"([^"]+)"/.exec(JSON.stringify(extensions)) ?? [];
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as Said;
}

function replaced(answer: Response, name: string, value: string): Response {
  const headers = new Headers(answer.headers);
  headers.set(name, value);
  return new Response(answer.body, {status: answer.status, headers});
}
