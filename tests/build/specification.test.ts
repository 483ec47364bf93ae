import assert from 'node:assert/strict';
import {createHash, createHmac} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import canonicalize from 'canonicalize';
import {EXAMPLE} from '../example/example.ts';
import {namedIn, readJson} from './tree.ts';

const PUBLIC = join(EXAMPLE, 'public');
const sample = (name: string) => readJson(PUBLIC, `api/v1/samples/${name}.json`);
const paid = (name: string) => readJson(PUBLIC, `api/v1/${name}`);
const schema = (file: string) => readJson(PUBLIC, `api/v1/schemas/${file}.json`);

const NAMES = ['webhookbundle', 'softfail3', 'firstlastsame'];
const COMMON = ['sit', 'as_of', 'reason', 'title', 'next', 'note'];

const MEMBERS: Record<string, {sample: string[]; paid: string[]}> = {
  webhookbundle: {
    sample: [
      ...COMMON,
      'listed',
      'sku',
      'kind',
      'events',
      'unsigned_event',
      'pubkey_hint',
      'sha256',
      'schema',
      'portable',
      'price_usd',
    ],
    paid: ['events', 'pubkey_hint', 'sha256', 'as_of'],
  },
  softfail3: {
    sample: [
      ...COMMON,
      'listed',
      'rows_n',
      'soft_fail_n',
      'soft_fail_ratio',
      'counts',
      'class_mix',
      'examples',
      'age_hours',
    ],
    paid: [
      'name',
      'title',
      'as_of',
      'reason',
      'note',
      'listed',
      'rows_n',
      'soft_fail_n',
      'soft_fail_ratio',
      'counts',
      'class_mix',
      'age_hours',
      'rows',
      'rows_total',
      'sha256',
    ],
  },
  firstlastsame: {
    sample: [...COMMON, 'total', 'first_eq_last_n', 'ratio', 'claimed_eq_n', 'examples', 'class'],
    paid: [
      'name',
      'title',
      'as_of',
      'reason',
      'note',
      'total',
      'first_eq_last_n',
      'ratio',
      'claimed_eq_n',
      'class',
      'rows',
      'rows_total',
      'sha256',
    ],
  },
};

for (const name of NAMES) {
  test(`${name} has the members of the specification's tables, in their order`, async () => {
    assert.deepEqual(Object.keys(await sample(name)), MEMBERS[name]?.sample);
    assert.deepEqual(Object.keys(await paid(name)), MEMBERS[name]?.paid);
  });

  test(`${name} is valid by the JSON Schemas that are published for it`, async () => {
    const ajv = new Ajv2020({strict: false, allErrors: true});
    addFormats.default(ajv);
    for (const [document, file] of [
      [await sample(name), `${name}.sample`],
      [await paid(name), name],
    ] as const) {
      const published = await schema(file);
      assert.equal(published['$schema'], 'https://json-schema.org/draft/2020-12/schema');
      assert.equal(published['$id'], `https://snapshots.example/api/v1/schemas/${file}.json`);
      const validate = ajv.compile(published);
      assert.ok(validate(document), JSON.stringify(validate.errors));
      assert.equal(validate({...document, unknown: 1}), false, 'the schema forbids unknown members');
    }
  });

  test(`${name}'s sample names the paid endpoint`, async () => {
    const {next, title, sit} = await sample(name);
    const {title: productTitle, ...rest} = next as Record<string, string>;
    assert.deepEqual(Object.keys(next as object), ['name', 'title', 'price', 'method', 'url']);
    assert.equal(title, `${productTitle ?? ''} Sample`);
    assert.equal(sit, false);
    const price = name === 'webhookbundle' ? '$0.15' : '$0.02';
    assert.deepEqual(rest, {name, price, method: 'GET', url: `https://snapshots.example/api/v1/${name}`});
  });

  test(`${name} has the required statements, and makes no claims`, async () => {
    const {reason, note, as_of: asOf} = (await sample(name)) as Record<string, string>;
    assert.match(asOf ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const text of [reason ?? '', note ?? '']) assert.match(text, /listed=true is never invented/);
    assert.match(note ?? '', /No live third-party fetch is made/);
    assert.ok(note?.includes(asOf?.slice(0, 10) ?? ''), 'the note repeats the date of the frozen source');
    const text = await readFile(join(PUBLIC, `api/v1/${name}`), 'utf8');
    assert.doesNotMatch(text + JSON.stringify(await sample(name)), /"(listed|settle_success)":\s*true/);
  });
}

test('the reasons name the sibling products', async () => {
  const siblings = {
    webhookbundle: ['replaycass', 'skillpackbuyer'],
    softfail3: ['denylistage', 'denyfresh', 'denyageflip'],
    firstlastsame: ['claimageport', 'claimedshare'],
  };
  for (const [name, names] of Object.entries(siblings)) {
    const {reason} = await sample(name);
    for (const sibling of names) assert.ok(String(reason).includes(sibling), `${name} names ${sibling}`);
  }
});

test('the bundle says that it never includes a fake settle-success event', async () => {
  const {reason, note} = await sample('webhookbundle');
  assert.match(String(reason), /never includes a fake settle-success event/);
  assert.match(String(note), /never includes a fake settle-success event/);
});

test('the webhook bundle sample is the one of the specification', async () => {
  const document = await sample('webhookbundle');
  assert.equal(document['sku'], 'webhookbundle');
  assert.equal(document['kind'], 'signed_webhook_event_bundle');
  assert.deepEqual(document['events'], []);
  assert.equal(document['portable'], true);
  assert.equal(document['price_usd'], '$0.15');
  assert.equal(document['pubkey_hint'], 'demo-hmac-sha256:webhookbundle');
  assert.deepEqual(document['unsigned_event'], {
    type: 'payment_required',
    payload: {sku: 'webhookbundle', http_status: 402, settle_success: false},
    sig: null,
  });
  const bundle = document['schema'] as Record<string, unknown>;
  assert.equal(bundle['$schema'], 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(bundle['title'], 'Signed webhook event bundle');
  assert.equal(bundle['additionalProperties'], false);
  assert.deepEqual(bundle['required'], ['events', 'pubkey_hint', 'sha256', 'as_of']);
  const validate = new Ajv2020().compile(bundle);
  assert.ok(validate(await paid('webhookbundle')), 'the paid bundle follows the schema in the sample');
});

test('every event of the paid bundle is signed by the demo scheme', async () => {
  const {events, pubkey_hint: hint} = (await paid('webhookbundle')) as {
    events: {type: string; payload: object; sig: string}[];
    pubkey_hint: string;
  };
  assert.ok(events.length > 0);
  for (const {type, payload, sig} of events) {
    const message = canonicalize({type, payload}) ?? '';
    assert.equal(sig, createHmac('sha256', hint).update(message).digest('hex'));
    assert.equal(type, 'payment_required');
  }
});

test('sha256 is the digest of the canonical document without this member', async () => {
  for (const document of [await sample('webhookbundle'), ...(await Promise.all(NAMES.map(paid)))]) {
    const {sha256, ...rest} = document;
    assert.equal(
      sha256,
      createHash('sha256')
        .update(canonicalize(rest) ?? '')
        .digest('hex'),
    );
  }
});

test('the figures of Soft Fail 3 are consistent with each other, exactly', async () => {
  const document = (await sample('softfail3')) as Record<string, number> & {
    counts: Record<string, number>;
    examples: string[];
  };
  assert.equal(document['soft_fail_ratio'], Number(document['soft_fail_n']) / Number(document['rows_n']));
  assert.deepEqual(Object.keys(document.counts), ['fraud', 'dead', 'unable_verify', 'soft_fail', 'total']);
  assert.deepEqual(document['class_mix'], document.counts);
  assert.equal(document.counts['total'], document['rows_n']);
  assert.equal(document.counts['soft_fail'], document['soft_fail_n']);
  assert.equal(document.examples.length, 3);
  assert.ok(document.examples.every(url => new URL(url).hostname.endsWith('.example')));
  assert.ok(Number.isInteger(document['age_hours']));
});

test('the figures of First Last Same are those of the specification', async () => {
  const {
    total,
    first_eq_last_n: equal,
    ratio,
    claimed_eq_n: claimed,
    class: collapsed,
    examples,
  } = await sample('firstlastsame');
  assert.deepEqual(
    {total, equal, ratio, claimed, collapsed},
    {total: 2, equal: 2, ratio: 1, claimed: 1, collapsed: 'all_collapsed'},
  );
  for (const example of examples as Record<string, unknown>[]) {
    assert.deepEqual(Object.keys(example), ['origin', 'first', 'last', 'claimed']);
    assert.match(String(example['first']), /^\d{4}-\d\d-\d\d \d\d:\d\d ET$/);
    assert.equal(example['first'], example['last']);
  }
});

test('the catalogue names every document with the size and digest of its bytes', async () => {
  const catalogue = await readJson(PUBLIC, 'api/v1/index.json');
  const names = (catalogue['products'] as {name: string}[]).map(product => product.name);
  for (const name of NAMES) assert.ok(names.includes(name), name);
  for (const {path, sha256, bytes} of namedIn(catalogue)) {
    const content = await readFile(join(PUBLIC, path));
    assert.equal(content.length, bytes, path);
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256, path);
  }
});

test('documents are UTF-8 without a byte order mark, two-space indented, with one final newline', async () => {
  for (const path of NAMES.flatMap(name => [
    `api/v1/${name}`,
    `api/v1/samples/${name}.json`,
    `api/v1/history/${name}.json`,
  ])) {
    const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(await readFile(join(PUBLIC, path)));
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`, path);
  }
});
