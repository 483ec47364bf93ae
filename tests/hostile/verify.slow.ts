import assert from 'node:assert/strict';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {digestOf} from '../../shared/digest.ts';
import {isFine} from '../../buyer/verify/check.ts';
import {readCatalogue} from '../../buyer/verify/catalogue.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {tableOf} from '../../scripts/verify/report.ts';
import {EXAMPLE} from '../example/example.ts';
import {exampleCopy, type ExampleCopy} from '../scripts/example-copy.ts';
import {rawServer} from '../scripts/raw-server.ts';
import {oneExaminer} from '../scripts/one-examiner.ts';
import {runScript} from '../scripts/script-run.ts';
import {runLimited, runMeasured} from './run-limited.ts';

type Document = Record<string, unknown>;

const sample = '/api/v1/samples/softfail3.json';
const schema = '/api/v1/schemas/softfail3.sample.json';
const paidSchema = '/api/v1/schemas/softfail3.json';
const history = '/api/v1/history/softfail3.json';
const paid = '/api/v1/softfail3';
const catalogue = 'public/api/v1/index.json';

const changed = (change: (document: Document) => object) => (text: string) =>
  JSON.stringify(change(JSON.parse(text) as Document), null, 2);
const sealed = (change: (document: Document) => Document) =>
  changed(document => {
    const next = change(document);
    return {...next, sha256: digestOf(next)};
  });

interface Case {
  readonly says: string;
  readonly spoil: (site: ExampleCopy) => Promise<unknown>;
  /** The expected line of the report. */
  readonly line: RegExp;
}

// One line per case: a faulty site, and the check that fails. All other checks still run.
const folders: readonly Case[] = [
  {
    says: 'a schema that refers to itself',
    spoil: site => site.forge(schema, () => '{"$ref": "#"}'),
    line: /^✗ {2}schema +\/api\/v1\/samples\/softfail3\.json +its JSON Schema cannot be used: it refers to itself/m,
  },
  {
    says: 'a schema that refers to itself indirectly',
    spoil: site => site.forge(paidSchema, () => '{"$defs": {"a": {"$ref": "#"}}, "allOf": [{"$ref": "#/$defs/a"}]}'),
    line: /^✗ {2}schema +\/api\/v1\/softfail3 +its JSON Schema cannot be used: it refers to itself/m,
  },
  {
    says: 'an asynchronous schema, which would accept everything',
    spoil: site =>
      site.forge(
        schema,
        changed(document => ({...document, $async: true})),
      ),
    line: /^✗ {2}schema +\/api\/v1\/samples\/softfail3\.json +its JSON Schema cannot be used: it is asynchronous/m,
  },
  {
    says: 'a number that is too large next to a digest',
    spoil: site => site.forge(paid, text => text.replace('"rows_n": ', '"huge": 1e400, "rows_n": ')),
    line: /^✗ {2}JSON +\/api\/v1\/softfail3 +contains a number that is too large/m,
  },
  {
    says: 'history points that are null',
    spoil: site =>
      site.forge(
        history,
        changed(document => ({...document, points: [null]})),
      ),
    line: /^✗ {2}history +\/api\/v1\/history\/softfail3\.json +has points that are not objects/m,
  },
  {
    says: 'history points that are numbers',
    spoil: site =>
      site.forge(
        history,
        changed(document => ({...document, points: [1, 'two', []]})),
      ),
    line: /^✗ {2}history +\/api\/v1\/history\/softfail3\.json +/m,
  },
  {
    says: 'rows that are null',
    spoil: site =>
      site.forge(
        paid,
        sealed(document => ({...document, rows: [null]})),
      ),
    line: /^✗ {2}agreement +softfail3 +examples\[0\]/m,
  },
  {
    says: 'rows that are numbers, and examples that are objects',
    spoil: async site => {
      await site.forge(
        paid,
        sealed(document => ({...document, rows: [5]})),
      );
      await site.forge(
        sample,
        sealed(document => ({...document, examples: [{url: 1}]})),
      );
    },
    line: /^✗ {2}agreement +softfail3 +examples\[0\]/m,
  },
  {
    says: 'an as_of that cannot be converted to a text',
    spoil: site =>
      site.forge(
        sample,
        changed(document => ({...document, as_of: {toString: 1, valueOf: 1}})),
      ),
    line: /^✗ {2}texts +\/api\/v1\/samples\/softfail3\.json +cannot be checked/m,
  },
  {
    says: 'a schema with the name of the metaschema',
    spoil: site => site.forge(schema, () => '{"$id": "https://json-schema.org/draft/2020-12/schema"}'),
    line: /^✓ {2}schema +\d+ paths +matches its JSON Schema$(?![\s\S]*^✗ {2}schema )/m,
  },
  {
    says: 'a _redirects that is a folder',
    spoil: site => mkdir(join(site.root, 'public/_redirects')),
    line: /^✗ {2}redirects +\/_redirects +is a folder/m,
  },
  {
    says: 'a _redirects with many spaces',
    spoil: site => writeFile(join(site.root, 'public/_redirects'), `/a${' '.repeat(300_000)}/b`),
    line: /^✗ {2}redirects +\/_redirects +line 1 has more than 2000 characters/m,
  },
  {
    says: 'an $id that cannot be converted to a text',
    spoil: site =>
      site.forge(
        schema,
        changed(document => ({...document, $id: {toString: null}})),
      ),
    line: /^✗ {2}schemas? +\S+ +/m,
  },
];

const verifySite = oneExaminer();

describe('a folder with', () => {
  for (const {says, spoil, line} of folders) {
    test(`${says} fails that check, and all others still run`, async () => {
      await using site = await exampleCopy();
      await spoil(site);
      const checks = await verifySite(site.root);
      const out = tableOf(checks, false);
      assert.equal(isFine(checks), false);
      assert.match(out, line);
      assert.match(out, /strays/, 'the checks of the whole site come last');
      assert.doesNotMatch(out, /^\s+at /m);
    });
  }
});

interface Listed {
  products: Document[];
  files: Document[];
}

const digest = 'a'.repeat(64);
const many = <T>(count: number, entry: (at: number) => T) => Array.from({length: count}, (_none, at) => entry(at));

async function listed(): Promise<Listed & Document> {
  return JSON.parse(await readFile(join(EXAMPLE, catalogue), 'utf8')) as Listed & Document;
}

/** The catalogue of the example with many other products. */
async function withProducts(count: number): Promise<string> {
  const whole = await listed();
  const text = JSON.stringify(whole.products[0]);
  const name = String(whole.products[0]?.['name']);
  const products = Array.from({length: count}, (_none, at) => JSON.parse(text.replaceAll(name, `p${at}`)) as Document);
  return `${JSON.stringify({...whole, products}, null, 2)}\n`;
}

test('20,000 missing files are reported in linear time', async () => {
  await using site = await exampleCopy();
  const file = (at: number) => ({path: `/f/${at}.txt`, type: 'text/plain', sha256: digest, bytes: 1});
  await site.edit(catalogue, text => {
    const whole = JSON.parse(text) as Listed & Document;
    return JSON.stringify({...whole, files: Array.from({length: 20_000}, (_none, at) => file(at))});
  });
  const {code, out, err, seconds} = await runMeasured('verify', ['site', site.root]);
  assert.equal(code, 1, err);
  assert.match(out, /and 19980 more/);
  assert.ok(seconds < 20, `took ${seconds} s`);
});

test('40,000 proofs that are not among 40,000 files are reported in linear time', async () => {
  await using site = await exampleCopy();
  const named = {url: 'https://snapshots.example/g/10000.txt', kind: 'rfc3161', sha256: digest, bytes: 1};
  const freeze = (at: number) => {
    const as_of = new Date(Date.UTC(1990, 0, 1) + at * 86_400_000).toISOString();
    return {date: as_of.slice(0, 10), as_of, descriptor: digest, proofs: many(16, () => named)};
  };
  await site.edit(catalogue, text => {
    const files = many(40_000, at => ({path: `/f/${10_000 + at}.txt`, type: 'text/plain', sha256: digest, bytes: 1}));
    const sources = [{name: 'source', freezes: many(2500, freeze)}];
    return JSON.stringify({...(JSON.parse(text) as Listed), files, sources});
  });
  const {code, out, err, seconds} = await runMeasured('verify', ['site', site.root]);
  assert.equal(code, 1, err);
  assert.match(out, /^✗ {2}proof +.* +is not among the files of the catalogue/m);
  assert.ok(seconds < 30, `took ${seconds} s`);
});

test('a CSV file with the size of 4,000 paid documents is hashed once', async () => {
  await using site = await exampleCopy();
  const file = join(site.root, 'rows.csv');
  await writeFile(file, Buffer.alloc(25 * 1024 * 1024));
  const part = (at: number) => ({
    ...{url: 'https://snapshots.example', sha256: digest, bytes: 25 * 1024 * 1024, rows: 1, format: 'csv'},
    ...{type: 'text/csv', part: {name: `p${at}`, number: at + 1, of: 4000, holds: ''}},
  });
  await site.edit(catalogue, text => {
    const whole = JSON.parse(text) as Listed;
    return JSON.stringify({...whole, products: whole.products.map(entry => ({...entry, editions: many(4000, part)}))});
  });
  const {code, out, err, seconds} = await runMeasured('verify', ['document', file, '--site', site.root]);
  assert.equal(code, 1, err);
  assert.match(out, /^✗ {2}bytes +rows\.csv +is not a paid document in the catalogue/m);
  assert.ok(seconds < 30, `took ${seconds} s`);
});

test('the check of 3,000 products ends at --total-timeout', async () => {
  const text = await withProducts(3000);
  const json = {'content-type': 'application/json; charset=utf-8', 'cache-control': 'max-age=1'};
  await using server = await rawServer((request, response) => {
    if (request.url === '/api/v1/index.json') response.writeHead(200, json).end(text);
    else setTimeout(() => response.writeHead(404, json).end('{}'), 20);
  });
  const {code, out, err, seconds} = await runLimited('verify', ['site', server.url, '--total-timeout', '6']);
  assert.equal(code, 1, err);
  assert.match(out, /^✗ {2}effort +\S+ +the time for all checks is over: \d+ products/m);
  assert.ok(seconds < 40, `took ${seconds} s`);
});

test('a paid document with a stated length of 1e15 bytes is read only up to the usual limit', async () => {
  const text = (await readFile(join(EXAMPLE, catalogue), 'utf8')).replaceAll(/"bytes": \d+/g, '"bytes": 1e15');
  const block = Buffer.alloc(1 << 20, 0x20);
  await using server = await rawServer((request, response) => {
    if (request.url === '/api/v1/index.json') {
      response.writeHead(200, {'content-type': 'application/json', 'cache-control': 'max-age=1'}).end(text);
      return;
    }
    response.writeHead(402);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const more = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', more);
    more();
  });
  const {code, err, mebibytes} = await runLimited('verify', [
    'site',
    server.url,
    '--request-timeout',
    '1',
    '--total-timeout',
    '2',
  ]);
  assert.equal(code, 1, err);
  assert.ok(mebibytes < 1500, `held ${mebibytes} MiB`);
});

interface Endless {
  readonly says: string;
  readonly spoil: (site: ExampleCopy) => Promise<unknown>;
  readonly args?: (site: ExampleCopy) => readonly string[];
  /** The expected message. */
  readonly reported: RegExp;
}

// One line per case: a site with too much of something, and the message within --total-timeout, plus the time to read
// it.
const endless: readonly Endless[] = [
  {
    says: '100,000 payees',
    spoil: site =>
      site.edit(
        catalogue,
        changed(document => ({...document, payment: {accepts: many(100_000, at => payee(at))}})),
      ),
    reported: /payment\.accepts has more than 32 entries/,
  },
  {
    says: '20,000,000 invalid rules',
    spoil: site => site.edit('paywall/rules/rules.json', () => `{"rules": [${'{},'.repeat(20_000_000)}{}]}`),
    reported: /^✗ {2}effort +rules\.json +/m,
  },
  {
    says: 'a schema of 100,000 properties with patterns',
    spoil: site =>
      site.forge(schema, () =>
        JSON.stringify({
          properties: Object.fromEntries(many(100_000, at => [`p${String(at)}`, {pattern: `^(a|b${String(at)})+$`}])),
        }),
      ),
    reported: /^✗ {2}(effort|schemas?) +/m,
  },
  {
    says: 'a sample of 8,000,000 numbers compared with the frozen rows',
    spoil: site => site.forge(sample, () => `{"odd": [${'1,'.repeat(8_000_000)}1]}`),
    args: site => ['--data', join(site.root, 'data')],
    reported: /^✗ {2}frozen rows +\S+ +has 16\d+ bytes instead of the \d+/m,
  },
];
const payee = (at: number) => ({network: `eip155:${String(at + 1)}`, pay_to: `0x${'ab'.repeat(20)}`});

describe('--total-timeout limits', () => {
  for (const {says, spoil, args, reported} of endless) {
    test(says, async () => {
      await using site = await exampleCopy();
      await spoil(site);
      const ran = await runLimited('verify', ['site', site.root, '--total-timeout', '4', ...(args?.(site) ?? [])]);
      assert.equal(ran.code, 1, ran.err);
      assert.match(ran.out + ran.err, reported);
      assert.ok(ran.seconds < 25 && ran.mebibytes < 1500, `took ${ran.seconds} s and ${ran.mebibytes} MiB`);
    });
  }
});

test('a catalogue of 62 MB, the size for 50,000 products, is read', async () => {
  const bytes = Buffer.from(await withProducts(50_000));
  assert.ok(bytes.length < MAX_SITE_BYTES);
  assert.equal(readCatalogue('the catalogue', bytes).products.length, 50_000);
});

test('a folder fails the check of its rules if they are not a file, or a device', async () => {
  await using site = await exampleCopy();
  await writeFile(join(site.root, 'paywall/rules/rules.json'), '[');
  assert.match((await runScript('verify', ['site', site.root])).out, /^✗ {2}rules +rules\.json +is not JSON/m);
  const folder = join(site.root, 'elsewhere');
  await mkdir(folder);
  const {code, err} = await runLimited('verify', [
    'document',
    join(site.root, `public${sample}`),
    '--schema',
    '/dev/zero',
  ]);
  assert.equal(code, 1);
  assert.equal(err, '/dev/zero is not a regular file\n');
});

test('a rule of a _redirects that bypasses the gate is found in a folder', async () => {
  await using site = await exampleCopy();
  await writeFile(join(site.root, 'public/_redirects'), '/free /api/v1/softfail3 200\n');
  const folder = await runScript('verify', ['site', site.root]);
  assert.equal(folder.code, 1);
  assert.match(folder.out, /^✗ {2}redirects +\/_redirects +line 1 rewrites with status 200/m);
});
