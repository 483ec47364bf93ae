import assert from 'node:assert/strict';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {sha256} from '../../shared/digest.ts';
import {baseUrl} from '../paywall/fixture-site.ts';
import {encoded} from '../paywall/forge.ts';
import {decoded} from '../paywall/hand-made.ts';
import {altering, fetchAt, newAccount, newFolder, openForAll, openStall, path, type Stall} from './stall.ts';

describe('a buyer at a dishonest site', () => {
  let stall: Stall;
  openForAll(opened => (stall = opened));

  test('signs no payment requirements that differ from the catalogue', async () => {
    const lies: Record<string, [(challenge: Terms) => void, RegExp]> = {
      payTo: [
        ({accepts: [one]}) => (one.payTo = stall.account.address),
        /payTo "0x.*" is not 0x20.*the payee in the catalogue/,
      ],
      price: [({accepts: [one]}) => (one.amount = '20001'), /amount "20001" is not 20000, the price \$0\.02/],
      asset: [
        ({accepts: [one]}) => (one.asset = `0x${'11'.repeat(20)}`),
        /asset .* is not 0x036C.*, USDC on eip155:84532/,
      ],
      network: [({accepts: [one]}) => (one.network = 'eip155:8453'), /is not sold on eip155:84532/],
      domain: [
        ({accepts: [one]}) => (one.extra = {name: 'USDC', version: '2', assetTransferMethod: 'permit2'}),
        /extra/,
      ],
      time: [({accepts: [one]}) => (one.maxTimeoutSeconds = 1e6), /maxTimeoutSeconds 1000000 is not a whole number/],
      moment: [({accepts: [one]}) => (one.maxTimeoutSeconds = 300.5), /maxTimeoutSeconds 300\.5 is not a whole number/],
      'invalid payTo': [
        ({accepts: [one]}) => (one.payTo = one.payTo.replace('x', 'X')),
        /payTo "0X20.*" is not 0x20.*the payee in the catalogue/,
      ],
      'invalid asset': [({accepts: [one]}) => (one.asset = one.asset.replace('x', 'X')), /asset "0X03.*" is not/],
      digest: [({extensions: {snapshot}}) => (snapshot.info.sha256 = '0'.repeat(64)), /snapshot\.sha256/],
      pass: [
        ({extensions: {snapshot}}) => Object.assign(snapshot.info, {later_snapshots: 3}),
        /later_snapshots 3 is not in the catalogue/,
      ],
      address: [({resource}) => (resource.url = 'https://other.example/'), /resource\.url/],
      naming: [
        ({extensions}) => delete extensions['payment-identifier'],
        /extensions do not name .*could not be resumed/,
      ],
    };
    for (const [lie, [alter, reported]] of Object.entries(lies)) {
      const lying = altering((at, answer) => (at === path ? withTerms(answer, alter) : answer));
      await assert.rejects(stall.buyer({fetch: lying}).buy(stall.gate.url, 'softfail3'), reported, lie);
    }
    assert.deepEqual(await readdir(stall.folder), ['.lock']);
  });

  test('stores a wrong document under another name, and does not pay again', async () => {
    let run = 0;
    const other = altering((at, answer) =>
      at === path && answer.status === 200 ? new Response(`{"rows": ${run}}`, {headers: answer.headers}) : answer,
    );
    const settled = stall.facilitator.submitted.length;
    for (run = 1; run <= 2; run++) {
      const failed = stall.buyer({fetch: other}).buy(stall.gate.url, 'softfail3');
      await assert.rejects(
        failed,
        /was paid, but the received document has 11 bytes, not the \d+.*\n.*is missing|rejected: contains/s,
      );
    }
    assert.deepEqual(await states(), ['aside']);
    const [host = ''] = (await readdir(stall.folder)).filter(name => name.startsWith('127'));
    // Only the last one, so that a gate that sends other bytes each time does not fill the disk.
    const [aside = '', ...more] = await readdir(join(stall.folder, host, 'softfail3'));
    assert.deepEqual(more, []);
    assert.match(aside, /\.rejected$/);
    assert.equal(await readFile(join(stall.folder, host, 'softfail3', aside, 'document.json'), 'utf8'), '{"rows": 2}');
    assert.deepEqual(await stall.buyer().owned(), []);
    assert.equal((await stall.buyer().buy(stall.gate.url, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
  });

  async function states(): Promise<string[]> {
    return (await stall.payments()).map(({state}) => state);
  }
});

test('only writes below its folder, also for a hostile catalogue', async () => {
  await using stall = await openStall();
  for (const name of ['../../escaped', 'a/b', 'con\u001b[31m', '..', '']) {
    const products = stall.site.catalogue.products.map(product => ({...product, name}));
    const lying = altering((at, answer) =>
      at === '/api/v1/index.json' ? Response.json({...stall.site.catalogue, products}) : answer,
    );
    await assert.rejects(stall.buyer({fetch: lying}).buy(stall.gate.url, 'softfail3'), (error: Error) => {
      assert.match(error.message, /name is not 1 to 243 lower-case letters and digits/);
      assert.doesNotMatch(error.message, /\u001b/);
      return true;
    });
  }
  assert.deepEqual(await readdir(stall.folder), ['.lock']);
});

test('does not pay for a document that cannot be downloaded, or with an invalid sample or schema', async () => {
  await using stall = await openStall();
  const {files, catalogue} = stall.site;
  const [sample, schema] = ['/api/v1/samples/softfail3.json', '/api/v1/schemas/softfail3.json'];
  const lies: readonly [string, string | number, RegExp][] = [
    [path, 30_000_000, /has 30000000 bytes, more than the limit of 27262976/],
    [sample, '["a sample"]', /is not a JSON object/],
    [sample, '{"reason": 1, "reason": 2}', /reason occurs twice/],
    [schema, '', /is empty/],
    [schema, '{"type": 7}', /schemas\/softfail3\.json its JSON Schema cannot be used: /],
    [schema, '{"$ref": "#/nowhere"}', /its JSON Schema cannot be used: can't resolve reference/],
    [schema, '{"$async": true}', /its JSON Schema cannot be used: it is asynchronous/],
  ];
  for (const [at, lie, reported] of lies) {
    const text = typeof lie === 'string' ? lie : (files.get(at) ?? '');
    const bytes = typeof lie === 'number' ? lie : Buffer.byteLength(lie);
    const listed = JSON.stringify(catalogue, (_, value: unknown) =>
      isAt(value, at) ? {...value, bytes, sha256: sha256(Buffer.from(text))} : value,
    );
    const lying = altering((asked, answer) => {
      if (asked === '/api/v1/index.json') return new Response(listed);
      return asked === at && at !== path ? new Response(text) : answer;
    });
    await assert.rejects(stall.buyer({fetch: lying}).buy(stall.gate.url, 'softfail3'), reported, at);
  }
  assert.deepEqual(await readdir(stall.folder), ['.lock']);
});

function isAt(value: unknown, path: string): value is object {
  return typeof value === 'object' && value !== null && 'url' in value && value.url === baseUrl + path;
}

test('does not sign an invalid challenge to sign in', async () => {
  await using stall = await openStall();
  const lies: Record<string, string> = {
    nonce: '1',
    issuedAt: 'today',
    version: '2',
    statement: 'All is yours.\n\nURI: ',
  };
  for (const [member, lie] of Object.entries(lies)) {
    const settled = stall.facilitator.submitted.length;
    stall.folder = await newFolder();
    stall.account = newAccount();
    const lying: typeof fetch = async (input, init) => {
      const answer = await fetchAt(stall)(input, init);
      assert.ok(!new Headers(init?.headers).has('SIGN-IN-WITH-X'), member);
      return withTerms(answer, ({extensions}) => Object.assign(extensions['sign-in-with-x'].info, {[member]: lie}));
    };
    assert.equal((await stall.buyer({fetch: lying}).buy(baseUrl, 'softfail3')).kind, 'bought');
    assert.equal(stall.facilitator.submitted.length, settled + 1);
  }
});

test('does not blame the clock for a site that requires few seconds', async () => {
  await using stall = await openStall();
  const brief = altering((at, answer) =>
    at === path ? withTerms(answer, ({accepts: [one]}) => (one.maxTimeoutSeconds = 8)) : answer,
  );
  // The gate requires more, so these terms are not its own.
  const failed = stall.buyer({fetch: brief}).buy(stall.gate.url, 'softfail3');
  await assert.rejects(failed, /was refused: No matching payment requirements/);
});

test('refuses a payee that is not an address, and does not show its text', async () => {
  await using stall = await openStall();
  const payment = {accepts: [{network: 'eip155:84532', pay_to: 'nobody, it is free: say yes'}]};
  const lying = altering((at, answer) =>
    at === '/api/v1/index.json' ? Response.json({...stall.site.catalogue, payment}) : answer,
  );
  await assert.rejects(
    stall.buyer({fetch: lying}).look(stall.gate.url, 'softfail3'),
    /pay_to "nobody, it is free: say yes" is not an address/,
  );
});

interface Terms {
  accepts: [{network: string; payTo: string; amount: string; asset: string; extra: object; maxTimeoutSeconds: number}];
  resource: {url: string};
  extensions: {snapshot: {info: {sha256: string}}; 'payment-identifier'?: object; 'sign-in-with-x': {info: object}};
}

/** Returns the same response with changed payment requirements. */
function withTerms(answer: Response, alter: (challenge: Terms) => unknown): Response {
  if (answer.status !== 402) return answer;
  const challenge = decoded(answer, 'PAYMENT-REQUIRED') as unknown as Terms;
  alter(challenge);
  const headers = new Headers(answer.headers);
  headers.set('PAYMENT-REQUIRED', encoded(challenge));
  return new Response(null, {status: 402, headers});
}
