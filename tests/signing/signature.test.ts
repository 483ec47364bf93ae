import assert from 'node:assert/strict';
import {createPublicKey, verify} from 'node:crypto';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {namedKeys} from '../../buyer/verify/signature/pin.ts';
import {signatureFault, signDetached} from '../../shared/detached-signature.ts';
import {leadsTo, nextKey, signNext} from '../../shared/next-key.ts';
import {InputError} from '../../shared/fault.ts';
import {keyText, newSigningKey, readSigningKey, thumbprintOf} from '../../shared/signing-key.ts';
import {forged, hmacSigned} from './forged.ts';

const bytes = Buffer.from('{"title": "A catalogue, in bytes ü"}\n');
const [key, otherKey] = [await newSigningKey(), await newSigningKey()];
const good = {alg: 'EdDSA', b64: false, crit: ['b64'], kid: key.kid};
const never = () => Promise.reject(new Error('no passphrase is needed'));

describe('the signature of a catalogue', () => {
  test('is the same for the same bytes, and Node verifies it by the rules of RFC 7797', async () => {
    const signature = await signDetached(bytes, key);
    assert.equal(await signDetached(bytes, key), signature);
    assert.equal(forged(key, good, bytes), signature);
    assert.equal(await signatureFault(signature, bytes, key), undefined);
    const [header = '', payload, signed = ''] = signature.split('.');
    const input = Buffer.concat([Buffer.from(`${header}.`), bytes]);
    const publicKey = createPublicKey({key: {kty: 'OKP', crv: 'Ed25519', x: key.x}, format: 'jwk'});
    assert.equal(payload, '');
    assert.ok(verify(null, input, publicKey, Buffer.from(signed, 'base64url')));
  });

  test('by a weak key is not valid', async () => {
    // The neutral point of the curve, as a key and as a signature with the number 0.
    const x = `AQ${'A'.repeat(41)}`;
    const header = b64({...good, kid: await thumbprintOf(x)});
    const signature = Buffer.alloc(64);
    signature[0] = 1;
    const input = Buffer.concat([Buffer.from(`${header}.`), bytes]);
    const publicKey = createPublicKey({key: {kty: 'OKP', crv: 'Ed25519', x}, format: 'jwk'});
    // Node 20 accepts this signature. Later versions have OpenSSL 3.5, which refuses it.
    if (process.versions.openssl.startsWith('3.0.')) assert.ok(verify(null, input, publicKey, signature));
    const fault = await signatureFault(`${header}..${signature.toString('base64url')}`, bytes, {
      kid: await thumbprintOf(x),
      x,
    });
    assert.match(fault ?? '', /^cannot be verified: \S+ is a weak key: signatures by it can be forged$/);
  });

  test('has the keys and thumbprints of RFC 8037, appendix A', async () => {
    const jwk = {
      kty: 'OKP',
      crv: 'Ed25519',
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    } as const;
    assert.deepEqual(await readSigningKey('key', JSON.stringify(jwk), never), jwk);
  });

  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['other bytes', forged(key, good, Buffer.from('{}')), /is not by the key .* over these bytes/],
    [
      'the key of another site, under its own name',
      forged(otherKey, {...good, kid: otherKey.kid}, bytes),
      /has the kid/,
    ],
    ['the key of another site, under this name', forged(otherKey, good, bytes), /is not by the key/],
    ['no algorithm', forged(key, {...good, alg: 'none'}, bytes), /has the alg "none" in its header, not "EdDSA"/],
    ['no algorithm and no signature', `${b64({...good, alg: 'none'})}..`, /is not a compact JWS/],
    ['an HMAC with the public key', hmacSigned(key, {...good, alg: 'HS512'}, bytes), /has the alg "HS512"/],
    ['a short HMAC with the public key', hmacSigned(key, {...good, alg: 'HS256'}, bytes), /is not a compact JWS/],
    ['an HMAC that says to be EdDSA', hmacSigned(key, good, bytes), /is not by the key/],
    [
      'a key in the header',
      forged(otherKey, {...good, jwk: {kty: 'OKP', crv: 'Ed25519', x: otherKey.x}}, bytes),
      /has jwk in its header/,
    ],
    ['the address of a key', forged(otherKey, {...good, jku: 'https://evil.example/jwks'}, bytes), /has jku in its/],
    ['a certificate', forged(otherKey, {...good, x5c: ['MII=']}, bytes), /has x5c in its header/],
    ['an unknown extension', forged(key, {...good, crit: ['b64', 'exp'], exp: 1}, bytes), /has exp in its header/],
    ['an extension that is not there', forged(key, {...good, crit: ['b64', 'exp']}, bytes), /has the crit/],
    ['no b64', forged(key, {alg: 'EdDSA', kid: key.kid}, bytes), /has no b64 in its header/],
    ['b64 that is not critical', forged(key, {...good, crit: undefined}, bytes), /has no crit in its header/],
    ['b64 that is true', forged(key, {...good, b64: true}, bytes), /has the b64 true in its header, not false/],
    [
      'a member that objects have of themselves',
      forged(key, {...good, constructor: 1}, bytes),
      /has constructor in its/,
    ],
    ['another type', forged(key, {...good, typ: 'JWT'}, bytes), /has typ in its header/],
    ['a payload', forged(key, good, bytes, 'e30'), /is not a compact JWS/],
    [
      'a member twice',
      forged(key, JSON.stringify(good).replace('{', '{"alg":"none",'), bytes),
      /is not a JSON object in canonical form/,
    ],
    ['white space in the header', forged(key, JSON.stringify(good, null, 1), bytes), /in canonical form/],
    ['a header that is a list', forged(key, '["EdDSA"]', bytes), /is not a JSON object/],
    ['a new line at its end', `${forged(key, good, bytes)}\n`, /is not a compact JWS/],
    ['nothing', '', /is not a compact JWS/],
  ];
  for (const [name, signature, says] of cases)
    test(`is refused with ${name}`, async () => {
      assert.match((await signatureFault(signature, bytes, key)) ?? 'it was taken', says);
    });
});

describe('a next key', () => {
  const chain = async () => {
    const keys = [key, await newSigningKey(), await newSigningKey()] as const;
    const [first, second, third] = keys;
    return {
      ...{first, second, third},
      linked: [
        {...third},
        {...second, signed_next: await signNext(second, third)},
        {...first, signed_next: await signNext(first, second)},
      ],
    };
  };

  test('can be reached from each key before it, but not the other way round', async () => {
    const {first, second, third, linked} = await chain();
    for (const from of [first, second, third]) assert.ok(await leadsTo(from, third, linked));
    assert.ok(!(await leadsTo(third, first, linked)));
    assert.ok(!(await leadsTo(otherKey, third, linked)));
    assert.ok(!(await leadsTo(first, third, linked.slice(0, 1))), 'a link is missing');
  });

  test('is not accepted from other keys, or with other signatures of the same key', async () => {
    const {first, second} = await chain();
    const jwk = JSON.stringify({crv: 'Ed25519', kid: second.kid, kty: 'OKP', x: second.x});
    const payload = Buffer.from(jwk).toString('base64url');
    const header = {alg: 'EdDSA', kid: first.kid, typ: 'next-key+jwk'};
    const signed = (by: typeof key, head: object) => {
      const [encoded, , signature] = forged(by, head, Buffer.from(payload)).split('.');
      return {...first, signed_next: `${encoded}.${payload}.${signature}`};
    };
    assert.equal((await nextKey(signed(first, header)))?.kid, second.kid);
    for (const linked of [
      signed(otherKey, header),
      signed(otherKey, {...header, jwk: {kty: 'OKP', crv: 'Ed25519', x: otherKey.x}}),
      signed(first, {...header, kid: otherKey.kid}),
      signed(first, {...header, typ: 'JWT'}),
      signed(first, {...header, alg: 'none'}),
      {...first, signed_next: await signNext(otherKey, second)},
    ])
      assert.equal(await nextKey(linked), undefined);
  });

  test('that leads back to an earlier key does not cause an endless search', async () => {
    const {first, second} = await chain();
    const ring = [
      {...first, signed_next: await signNext(first, second)},
      {...second, signed_next: await signNext(second, first)},
    ];
    assert.ok(!(await leadsTo(first, otherKey, ring)));
  });
});

describe('the text of a key', () => {
  test('can be read, with its passphrase and with no other', async () => {
    const text = await keyText(key, 'correct horse');
    assert.ok(!text.includes(key.d) && !text.includes(key.x));
    assert.deepEqual(await readSigningKey('key', text, () => Promise.resolve('correct horse')), key);
    await assert.rejects(
      readSigningKey('key', text, () => Promise.resolve('battery staple')),
      /^InputError: key cannot be decrypted: the passphrase is wrong, or the file is damaged$/,
    );
    assert.deepEqual(await readSigningKey('key', await keyText(key), never), key);
  });

  for (const [name, text, says] of [
    ['no JSON', 'secret', /is not a private Ed25519 key/],
    ['a public key', JSON.stringify({...key, d: undefined}), /is not a private Ed25519 key/],
    ['a key of another curve', JSON.stringify({...key, crv: 'X25519'}), /is not a private Ed25519 key/],
    ['another kid', JSON.stringify({...key, kid: otherKey.kid}), /has a kid that is not the thumbprint/],
    ['the half of another key', JSON.stringify({...key, d: otherKey.d}), /that do not belong together/],
  ] as const)
    test(`is refused if it is ${name}, and is not shown`, async () => {
      await assert.rejects(readSigningKey('key', text, never), (error: Error) => {
        assert.match(error.message, says);
        assert.doesNotMatch(error.stack ?? '', new RegExp(`${key.d}|${otherKey.d}|secret`));
        return true;
      });
    });
});

test('a wrong key in a variable has the variable as its field, and no file', async () => {
  const error = await readSigningKey({field: 'FROZEN_SIGNING_KEY'}, '{}', never).catch((caught: unknown) => caught);
  assert.ok(error instanceof InputError);
  assert.deepEqual([error.faults[0]?.field, error.faults[0]?.file], ['FROZEN_SIGNING_KEY', undefined]);
  assert.match(error.message, /^FROZEN_SIGNING_KEY is not a private Ed25519 key/);
});

function b64(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url');
}

test('a file names its first key and the former keys that lead to it, but no lost key', async () => {
  const [lost, former, current] = [await newSigningKey(), key, otherKey];
  const publicOf = ({kid, x}: typeof key) => ({kty: 'OKP', crv: 'Ed25519', kid, x});
  const linked = {...publicOf(former), signed_next: await signNext(former, current)};
  const folder = await mkdtemp(join(tmpdir(), 'keys-'));
  const file = join(folder, 'keys.json');
  for (const content of [
    {keys: [publicOf(current), linked, publicOf(lost)]},
    {signing: {...publicOf(current), former: [publicOf(lost), linked]}},
  ]) {
    await writeFile(file, JSON.stringify(content));
    const named = await namedKeys(file, undefined);
    assert.deepEqual(
      named.map(({kid}) => kid),
      [current.kid, former.kid],
    );
  }
  await rm(folder, {recursive: true});
});
