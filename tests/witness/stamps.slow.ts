import assert from 'node:assert/strict';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {Certificate as CertificateOf, SignedData, TimeStampResp} from 'pkijs';
import {derIn} from '../../buyer/verify/stamp-trust.ts';
import {examineStamp} from '../../buyer/verify/examine-stamp.ts';
import {sha256} from '../../shared/digest.ts';
import {Authority, type Certificate} from './authority.ts';

const DESCRIPTOR = '{"as_of": "2026-05-01T12:00:00.000Z"}\n';
const freeze = {as_of: '2026-05-01T12:00:00.000Z', descriptor: sha256(DESCRIPTOR)};

interface Looked {
  readonly bytes: Uint8Array;
  readonly ca?: string;
  readonly crl?: string;
  readonly as_of?: string;
  readonly now?: string;
}

async function look({bytes, ca, crl, as_of = freeze.as_of, now = new Date().toISOString()}: Looked) {
  const lists = crl === undefined ? [] : await derIn(crl, 'X509 CRL');
  const trusted = ca === undefined ? undefined : {authorities: await derIn(ca, 'CERTIFICATE'), lists};
  const {checks, ...found} = await examineStamp('a.tsr', {bytes, freeze: {...freeze, as_of}, trusted, now});
  return {...found, states: checks.map(({state}) => state), words: checks.map(({detail}) => detail).join('\n')};
}

async function refuses(looked: Looked, words: RegExp): Promise<void> {
  const found = await look(looked);
  assert.match(found.words, words);
  assert.deepEqual([found.result, new Set(found.states)], [undefined, new Set(['failed'])]);
}

describe('a timestamp', () => {
  let authority: Authority;
  let bytes: Buffer;
  before(() => {
    authority = new Authority();
    bytes = authority.stamp(DESCRIPTOR);
  });
  after(() => {
    authority[Symbol.dispose]();
  });

  test('is trusted with the certificate of its authority, and names the authority', async () => {
    const {result, words} = await look({bytes, ca: authority.ca});
    assert.ok(result);
    assert.match(
      words,
      /^stamped \S+ by CN=Test Stamps, O=Test Authority; certified by CN=Test Stamps Root, O=Test Au/,
    );
    // The authority states an accuracy of a second.
    const [, time = ''] = /^stamped (\S+)/.exec(words) ?? [];
    assert.equal(Date.parse(result.latest) - Date.parse(time), 1000);
  });

  test('names its authority without the certificate, and is not trusted', async () => {
    const {result, unproved, states, words} = await look({bytes});
    assert.equal(result, undefined);
    assert.match(words, /^stamped \S+ by CN=Test Stamps, O=Test Authority$/);
    assert.match(
      unproved ?? '',
      /^a timestamp of \d+ \w+ \d{4} \d\d:\d\d UTC by CN=Test Stamps, O=Test Authority \(verified with --tsa-ca and/,
    );
    assert.deepEqual(states, ['passed']);
  });

  test('is refused for another authority with the same name', async () => {
    using other = new Authority();
    await refuses({bytes, ca: other.ca}, /which the given authorities did not certify at that time/);
  });

  test('is refused for its own certificate in place of that of the authority', async () => {
    await refuses({bytes, ca: join(authority.folder, 'tsa.pem')}, /did not certify at that time/);
  });

  test('is refused over another digest', async () => {
    await refuses(
      {bytes: authority.stamp('another'), ca: authority.ca},
      /is for the digest [0-9a-f]{64}, not for that of the freeze/,
    );
  });

  test('is refused over a digest by another algorithm', async () => {
    await refuses(
      {bytes: authority.stamp(DESCRIPTOR, 'sha512')},
      /the authority refused|is not a timestamp of a SHA-256/,
    );
  });

  test('is refused if one bit of its contents or its signature is changed', async () => {
    const text = bytes.toString('latin1');
    const [year, signature] = [text.indexOf('20', text.indexOf('\x18\x0f')), bytes.length - 10];
    for (const at of [year + 3, signature]) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      await refuses({bytes: forged, ca: authority.ca}, /has a signature that/);
    }
  });

  test('is refused if it is not a response, truncated, or followed by other bytes', async () => {
    for (const other of [
      Buffer.alloc(0),
      Buffer.from('<html>'),
      bytes.subarray(0, 900),
      Buffer.concat([bytes, Buffer.of(0)]),
    ])
      await refuses({bytes: other}, /is not an answer of a timestamp authority/);
  });

  test('is refused if it is older than its freeze, or in the future', async () => {
    await refuses({bytes, as_of: '2199-05-01T12:00:00.000Z'}, /is of \S+, older than its freeze, whose as_of is 2199/);
    await refuses({bytes, now: '2026-05-02T12:00:00.000Z'}, /is in the future/);
  });
});

const times: readonly (readonly [says: string, certificate: Certificate, words: RegExp])[] = [
  ['had expired', {from: '200101000000Z', until: '210101000000Z'}, /did not certify at that time: .*expired/],
  [
    'was not valid yet',
    {from: '390101000000Z', until: '400101000000Z'},
    /did not certify at that time: .*not yet valid/,
  ],
];

for (const [says, certificate, words] of times)
  test(`a stamp is refused if its certificate ${says}`, async () => {
    using authority = new Authority(certificate);
    await refuses({bytes: authority.stamp(DESCRIPTOR), ca: authority.ca}, words);
  });

test('a stamp is trusted exactly if openssl trusts it, for all path lengths of its authorities', async () => {
  const root = {name: 'Test Stamps Root'}; // self-issued, so it does not count
  for (const [certificate, isBelieved] of [
    [{root: 'pathlen:0'}, true],
    [{between: [{}]}, true],
    [{root: 'pathlen:1', between: [{}]}, true],
    [{root: 'pathlen:0', between: [{}]}, false],
    [{root: 'pathlen:1', between: [{}, {}]}, false],
    [{root: 'pathlen:2', between: [{length: 'pathlen:1'}, {length: 'pathlen:0'}]}, true],
    [{between: [{length: 'pathlen:0'}, {}]}, false],
    [{root: 'pathlen:0', between: [root]}, true],
    [{root: 'pathlen:0', between: [root, {}]}, false],
    [{root: 'pathlen:-1'}, false],
    [{between: [{length: 'pathlen:-1'}]}, false],
  ] as const satisfies readonly (readonly [Certificate, boolean])[]) {
    using authority = new Authority(certificate);
    const bytes = authority.stamp(DESCRIPTOR);
    const says = JSON.stringify(certificate);
    assert.equal(authority.believes(bytes, DESCRIPTOR), isBelieved, says);
    const {result, words} = await look({bytes, ca: authority.ca});
    assert.equal(result !== undefined, isBelieved, `${says}: ${words}`);
    if (!isBelieved) assert.match(words, /allows \S+ certificates? below it|a negative path length/, says);
  }
});

test('a stamp is refused if its accuracy is negative, out of range, or longer than a day', async () => {
  for (const [accuracy, added] of [
    ['secs:-5', undefined],
    ['secs:1, millisecs:-5', undefined],
    ['secs:1, millisecs:5000', undefined],
    ['secs:1, microsecs:1000', undefined],
    ['microsecs:-1', undefined],
    ['secs:86401', undefined],
    ['secs:2147483647', undefined],
    ['secs:86400', 86_400_000],
    ['secs:1, millisecs:500, microsecs:100', 1501],
    ['secs:0', 0],
  ] as const) {
    using authority = new Authority({accuracy});
    const bytes = authority.stamp(DESCRIPTOR);
    if (added === undefined) {
      await refuses({bytes, ca: authority.ca}, /accuracy/);
    } else {
      const {result, words} = await look({bytes, ca: authority.ca});
      const [, time = ''] = /^stamped (\S+)/.exec(words) ?? [];
      assert.equal(Date.parse(result?.latest ?? '') - Date.parse(time), added, accuracy);
    }
  }
});

test('a stamp is refused if its certificate has an unknown critical extension', async () => {
  for (const [terms, words] of [
    ['1.2.3.4=ASN1:UTF8String:terms', /^stamped/],
    ['1.2.3.4=critical,ASN1:UTF8String:terms', /with an unknown critical extension, 1\.2\.3\.4: CN=Test Stamps/],
  ] as const) {
    using authority = new Authority({extension: terms});
    const {words: found} = await look({bytes: authority.stamp(DESCRIPTOR), ca: authority.ca});
    assert.match(found, words);
  }
});

test('a stamp is refused with another certificate of the same key, name and serial number, also one for other purposes', async () => {
  using authority = new Authority();
  const bytes = authority.stamp(DESCRIPTOR);
  const unfit = ['critical,timeStamping,emailProtection', 'critical,codeSigning', 'timeStamping'];
  for (const usage of ['critical,timeStamping', ...unfit]) {
    const [other] = await derIn(authority.otherCertificate(usage), 'CERTIFICATE');
    const found = await look({bytes: withCertificate(bytes, other ?? assert.fail()), ca: authority.ca});
    assert.match(found.words, /does not name the certificate that it is signed with/);
    assert.equal(/that is not only for timestamps/.test(found.words), unfit.includes(usage), usage);
  }
});

/** Returns the same response with another certificate in it. Certificates in a response are not signed. */
function withCertificate(bytes: Uint8Array, der: Uint8Array): Uint8Array {
  const answer = TimeStampResp.fromBER(new Uint8Array(bytes));
  const token = new SignedData({schema: answer.timeStampToken?.content});
  token.certificates = [CertificateOf.fromBER(new Uint8Array(der))];
  Object.assign(answer.timeStampToken ?? {}, {content: token.toSchema(true) as unknown});
  return new Uint8Array(answer.toSchema().toBER());
}

const revocations: readonly (readonly [says: string, entry: string, words: RegExp | undefined])[] = [
  ['for a lost key, even later', '380101000000Z,keyCompromise', /revoked on 2038-01-01T00:00:00.000Z, reason 1/],
  ['without a reason, even later', '380101000000Z', /revoked on .*, without a reason/],
  ['as superseded, before the stamp', '210101000000Z,superseded', /revoked on 2021.*, reason 4/],
  ['as superseded, later', '380101000000Z,superseded', undefined],
];

for (const [says, entry, words] of revocations)
  test(`a stamp is ${words ? 'refused' : 'trusted'} if its certificate was revoked ${says}`, async () => {
    using authority = new Authority();
    const bytes = authority.stamp(DESCRIPTOR);
    const looked = {bytes, ca: authority.ca, crl: authority.revoked(entry)};
    if (words) await refuses(looked, words);
    else assert.match((await look(looked)).words, /; later: .* revoked on 2038/);
  });

test('each certificate without a current revocation list of its authority is reported', async () => {
  using authority = new Authority({between: [{name: 'Between'}]});
  using other = new Authority({name: 'Others'});
  const bytes = authority.stamp(DESCRIPTOR);
  const signer = /no given revocation list was current at that time for CN=Test Stamps,/;
  const between = /no given revocation list was current at that time for CN=Between,/;
  const outdated = ['-crl_lastupdate', '210101000000Z', '-crl_nextupdate', '210201000000Z'];
  for (const [crl, isBetweenListed] of [
    [() => other.revoked('210101000000Z'), false],
    [() => authority.list(outdated), false],
    [() => authority.list(), true],
  ] as const) {
    const {states, words} = await look({bytes, ca: authority.ca, crl: crl()});
    assert.deepEqual(states, ['passed', 'noted', ...(isBetweenListed ? [] : ['noted'])]);
    assert.match(words, signer);
    assert.equal(between.test(words), !isBetweenListed, words);
  }
});

test('RSA keys and the older way to name a certificate are supported', async () => {
  for (const certificate of [{key: ['-newkey', 'rsa:2048']}, {named: 'sha1'}, {named: 'sha512'}] as const) {
    using authority = new Authority(certificate);
    assert.ok((await look({bytes: authority.stamp(DESCRIPTOR), ca: authority.ca})).result);
  }
});
