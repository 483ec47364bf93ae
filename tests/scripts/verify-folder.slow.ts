import assert from 'node:assert/strict';
import {cp, rm, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {digestOf} from '../../shared/digest.ts';
import {isFine} from '../../buyer/verify/check.ts';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {exampleCopy, type ExampleCopy} from './example-copy.ts';
import {oneExaminer} from './one-examiner.ts';

const verifySite = oneExaminer();

const catalogue = 'public/api/v1/index.json';
const sample = '/api/v1/samples/softfail3.json';
const paid = '/api/v1/softfail3';
const bundle = '/api/v1/webhookbundle';

type Change = (document: Record<string, unknown>) => object;

/** Changes a document without its digest. */
const changed = (change: Change) => (text: string) =>
  JSON.stringify(change(JSON.parse(text) as Record<string, unknown>), null, 2);

/** Changes a document together with its digest. */
const sealed = (change: Change) =>
  changed(document => {
    const next = change(document) as Record<string, unknown>;
    return {...next, sha256: digestOf(next)};
  });

const swapped = ({dead, unable_verify, ...counts}: Record<string, number>) => ({
  ...counts,
  dead: unable_verify,
  unable_verify: dead,
});

/** Adds a proof of ownership by a key to the site. */
async function forgeProof(site: ExampleCopy, key: `0x${string}`): Promise<void> {
  const proof = await privateKeyToAccount(key).signMessage({message: 'https://snapshots.example'});
  const discovery = `"x-discovery": {"ownershipProofs": ["${proof}"]}`;
  await site.forge('/openapi.json', text => text.replace('"servers"', `${discovery}, "servers"`));
}

interface Case {
  readonly says: string;
  readonly spoil: (site: ExampleCopy) => Promise<unknown>;
  readonly what: string;
  readonly detail: RegExp;
}

const cases: readonly Case[] = [
  {
    says: 'a document with changed bytes',
    spoil: site => site.edit(`public${sample}`, text => text.replace('"rows_n": ', '"rows_n": 9')),
    what: 'bytes',
    detail: /bytes, not the/,
  },
  {
    says: 'a row count in the catalogue that is not that of the document',
    spoil: site => site.edit(catalogue, text => text.replace('"rows": 8', '"rows": 800')),
    what: 'figures',
    detail: /has 8 rows, but the catalogue lists 800/,
  },
  {
    says: 'a figure that does not agree with the others',
    spoil: site => site.forge(sample, text => text.replace('"soft_fail_n": ', '"soft_fail_n": 9')),
    what: 'figures',
    detail: /soft_fail_n/,
  },
  {
    says: 'figures that are consistent in the sample and differ from the paid document',
    spoil: site =>
      site.forge(
        sample,
        changed(document => {
          const counts = swapped(document['counts'] as Record<string, number>);
          return {...document, counts};
        }),
      ),
    what: 'agreement',
    detail: /counts of the history differs/,
  },
  {
    says: 'a document that breaks its schema',
    spoil: site => site.forge(sample, text => text.replace('"sit": false', '"sit": "no"')),
    what: 'schema',
    detail: /sit is not false/,
  },
  {
    says: 'a sealed document with a changed row and the old digest',
    spoil: site => site.forge(paid, text => text.replace(/"https:[^"]*"/, '"https://other.example/"')),
    what: 'digest',
    detail: /sha256 is not the digest/,
  },
  {
    says: 'an event without its signature',
    spoil: site =>
      site.forge(
        bundle,
        sealed(document => ({
          ...document,
          events: (document['events'] as object[]).map(event => ({...event, sig: 'f'.repeat(64)})),
        })),
      ),
    what: 'signatures',
    detail: /events\[0\]\.sig/,
  },
  {
    says: 'an invented listing',
    spoil: site =>
      site.forge(
        paid,
        sealed(document => ({...document, listed: true})),
      ),
    what: 'claims',
    detail: /claims listed true/,
  },
  {
    says: 'a note without a required statement',
    spoil: site => site.forge(sample, text => text.replace('No live third-party fetch is made. ', '')),
    what: 'texts',
    detail: /note does not say/,
  },
  {
    says: 'another price in the sample',
    spoil: site => site.forge(sample, text => text.replace('"$0.02"', '"$0.03"')),
    what: 'next',
    detail: /next does not name the price/,
  },
  {
    says: 'another price in the rules',
    spoil: site => site.edit('paywall/rules/rules.json', text => text.replace('"$0.15"', '"$0.16"')),
    what: 'rules',
    detail: /price of webhookbundle is \$0\.16/,
  },
  {
    says: 'a pass that the catalogue does not sell',
    spoil: site =>
      site.edit('paywall/rules/rules.json', text =>
        text.replace('"price": "$0.15"', '$&, "pass": {"next": 2, "as_of": []}'),
      ),
    what: 'rules',
    detail: /webhookbundle is sold for the next 2 snapshots, not 0/,
  },
  {
    says: 'another payee in the rules',
    spoil: site => site.edit('paywall/rules/rules.json', text => text.replace('0x041e', '0x141e')),
    what: 'rules',
    detail: /the payees differ/,
  },
  {
    says: 'a paid document that is missing in the catalogue',
    spoil: site => cp(join(site.root, 'public', paid), join(site.root, 'public/api/v1/softfail2')),
    what: 'strays',
    detail: /softfail2 is below \/api\/v1\/ but not in the catalogue/,
  },
  {
    says: 'a copy of a paid document elsewhere',
    spoil: site => cp(join(site.root, 'public', paid), join(site.root, 'public/backup.json')),
    what: 'strays',
    detail: /backup\.json is a free copy of the paid document/,
  },
  {
    says: 'a symbolic link in the site',
    spoil: site => symlink('api/v1/softfail3', join(site.root, 'public/alias')),
    what: 'strays',
    detail: /alias is a link/,
  },
  {
    says: 'a document that is missing',
    spoil: site => rm(join(site.root, 'public', bundle)),
    what: 'file',
    detail: /is missing/,
  },
  {
    says: 'a paid document among the free files',
    spoil: site => site.edit(catalogue, text => text.replace('"path": "/serve.json"', '"path": "/api/v1/softfail3"')),
    what: 'catalogue',
    detail: /lists the paid document \/api\/v1\/softfail3 among the free files/,
  },
  {
    says: 'history that ends elsewhere',
    spoil: site => site.forge('/api/v1/history/softfail3.json', text => text.replaceAll('"2026-', '"2025-')),
    what: 'history',
    detail: /ends at 2025-/,
  },
  {
    says: 'another price as a number',
    spoil: site => site.edit(catalogue, text => text.replace('"usd": 0.02', '"usd": 0.01')),
    what: 'catalogue',
    detail: /lists firstlastsame with the price \$0\.02, but with 0\.01 in usd/,
  },
  {
    says: 'a next snapshot before this one',
    spoil: site =>
      site.edit(catalogue, text => text.replace('"price"', '"next_expected": "2026-05-01T12:00:00.000Z", "price"')),
    what: 'catalogue',
    detail: /has a next_expected of classflips that is not after its as_of/,
  },
  {
    says: 'a proof of ownership by an account that is not a payee',
    spoil: site => forgeProof(site, generatePrivateKey()),
    what: 'ownership',
    detail: /x-discovery\.ownershipProofs\[0\] is not a signature of a payee over https:\/\/snapshots\.example/,
  },
  {
    says: 'a description that agents cannot read prices from',
    spoil: site => site.forge('/openapi.json', text => text.replaceAll('"mode": "fixed"', '"mode": "guess"')),
    what: 'discovery',
    detail: /agentcash: Paid route GET \/api\/v1\/classflips has no price hint/,
  },
  {
    says: 'a duplicate member',
    spoil: site => site.forge(sample, text => text.replace('"sit": false', '"sit": true, "sit": false')),
    what: 'JSON',
    detail: /sit occurs twice/,
  },
];

for (const {says, spoil, what, detail} of cases) {
  test(`finds ${says}`, async () => {
    await using site = await exampleCopy();
    await spoil(site);
    const found = (await verifySite(site.root)).filter(({state}) => state === 'failed');
    const match = found.find(check => check.what === what && detail.test(`${check.subject} ${check.detail}`));
    assert.ok(match, `no failed check "${what}" that says ${detail.source}:\n${JSON.stringify(found, null, 2)}`);
  });
}

test('accepts the proof of a payee, and notes an overdue snapshot', async () => {
  await using site = await exampleCopy();
  const key = generatePrivateKey();
  const {address} = privateKeyToAccount(key);
  await forgeProof(site, key);
  for (const file of [catalogue, 'paywall/rules/rules.json'])
    await site.edit(file, text => text.replace(/"pay_to": "0x\w+"/, `"pay_to": "${address}"`));
  await site.edit(catalogue, text => text.replace('"price"', '"next_expected": "2026-06-01T12:00:00.000Z", "price"'));
  const checks = await verifySite(site.root);
  const found = checks.filter(({what}) => ['ownership', 'discovery', 'due'].includes(what));
  assert.deepEqual(
    found.map(({state, detail}) => `${state} ${detail}`),
    [
      'noted a newer snapshot was due 2026-06-01T12:00:00.000Z',
      'passed agentcash has no warning',
      `passed proved by ${address}`,
      'noted x402scan would not list the site as yours: accepts no payments on eip155:8453',
    ],
  );
  assert.ok(isFine(checks));
});
