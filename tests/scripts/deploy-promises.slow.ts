import assert from 'node:assert/strict';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {DEFAULTS} from '../../buyer/verify/bounds.ts';
import {Web} from '../../buyer/verify/web.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import {readLive, promiseNotes} from '../../scripts/deploy/promises.ts';
import {faultLines} from '../../shared/error-text.ts';
import {InputError} from '../../shared/fault.ts';
import {copiesOf} from '../build/site-copies.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, SITE} from '../build/site-fixture.ts';
import {plainErrors} from '../plain-errors.ts';
import {gitSite, inRepository} from './git-site.ts';
import {rawServer, type Answering} from './raw-server.ts';
import {account, accessBlock, BUCKET, s3Server} from './s3-server.ts';
import {runScript} from './script-run.ts';

let answers: Answering;
const server = await rawServer((request, response) => {
  answers(request, response);
});
after(() => server[Symbol.asyncDispose]());

const siteAtServer = copiesOf(async () => {
  const site = await gitSite();
  await site.write('data/site.json', {...SITE, base_url: server.url});
  await site.commit();
  return site;
});

/**
 * A site with a server of this process as its `base_url`. It serves the deployed site, or the response that a test
 * sets.
 */
async function liveSite() {
  const folder = await mkdtemp(join(tmpdir(), 'live-'));
  const asked: string[] = [];
  answers = (request, response) => {
    asked.push(request.url ?? '');
    void readFile(join(folder, 'public', request.url ?? '')).then(
      bytes => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  };
  const site = inRepository(await siteAtServer());
  const branch = join(folder, 'branch');
  site.git('init', '--quiet', '--bare', branch);
  return {
    ...site,
    url: server.url,
    folder,
    asked,
    answerWith: (answer: Answering) => (answers = answer),
    goLive: () => cp(join(site.root, 'public'), join(folder, 'public'), {recursive: true}),
    deploy: (...args: string[]) =>
      runScript('deploy', ['github-pages', '--root', site.root, '--remote', branch, ...args]),
    /** Compares with the live site, as each deployment does, and returns the output about that. */
    async promises({breaking = [], wasDeployed}: {breaking?: string[]; wasDeployed?: boolean} = {}) {
      const {root} = site;
      try {
        const notes = await promiseNotes({root, site: await openSite(root), wasDeployed, breaking});
        return {code: 0, out: notes.map(note => `${note}\n`).join(''), err: ''};
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return {code: 1, out: '', err: plainErrors(faultLines(error))};
      }
    },
    /** Freezes other rows under the same date, builds and commits. */
    async rewrite(from: string, to: string) {
      const files = {'deny-list.csv': DENY_CSV.replace(from, to)};
      await site.freeze({source: 'deny-list', files, schema: DENY_SCHEMA});
      await site.commit();
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await rm(folder, {recursive: true});
    },
  };
}

test('a first deployment reports that there are no promises to keep', async () => {
  await using site = await liveSite();
  const {code, out, err} = await site.promises();
  assert.equal(code, 0, err);
  assert.match(out, /^promises to buyers: none yet, nothing is live at http\S+: its catalogue answers 404$/m);
});

test('a site that keeps every promise is deployed', async () => {
  await using site = await liveSite();
  await site.goLive();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'});
  await site.commit();
  const {code, out, err} = await site.promises();
  assert.equal(code, 0, err);
  assert.match(out, /^promises to buyers: kept, compared with what is live at http/m);
});

test('changed figures for the same as_of stop it on every host, committed or not, unless the product is named', async t => {
  await using site = await liveSite();
  await using bucket = await s3Server({publicAccessBlock: accessBlock(true)});
  await site.goLive();
  await site.rewrite('a.example/,dead', 'a.example/,soft_fail');
  const line = new RegExp(
    `^${site.url}/api/v1/softfail3 would break a promise to buyers: figures of Soft Fail 3 changed though as_of, 2026-05-01T12:00:00\\.000Z, did not: .*soft_fail.*\n$`,
  );
  const hosts = {
    'github-pages': (...args: string[]) => site.deploy(...args),
    s3: (...args: string[]) =>
      runScript(
        'deploy',
        ['s3', '--root', site.root, '--bucket', BUCKET, '--endpoint-url', bucket.url, ...args],
        account,
      ),
    cloudflare: (...args: string[]) => runScript('deploy', ['cloudflare', '--root', site.root, ...args]),
  };
  for (const [host, deploy] of Object.entries(hosts)) {
    await t.test(host, async () => {
      const refused = await deploy();
      assert.equal(refused.code, 1, host);
      assert.match(refused.err, line);
      // The dry run of wrangler takes some seconds, and the option is the same on every host.
      if (host === 'cloudflare') return;
      const {code, out, err} = await deploy('--break-promises', 'softfail3');
      assert.equal(code, 0, err);
      assert.match(out, /^a promise to buyers is broken: figures of Soft Fail 3 changed/m);
    });
  }
  assert.deepEqual(bucket.writes, []);
  const {code, err} = await site.promises({breaking: ['other']});
  assert.equal(code, 1);
  assert.match(err, /would break a promise to buyers/);
});

test('a removed product or the catalogue of another site stops it', async () => {
  await using site = await liveSite();
  await site.goLive();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title: 'Soft Fail 4'});
  await site.commit();
  const {code, err} = await site.promises();
  assert.equal(code, 1);
  assert.match(err, /^\S+\/api\/v1\/softfail3 .*Soft Fail 3 is no longer sold, but products of v1 stay for sale/);
  assert.equal((await site.promises({breaking: ['softfail3', 'softfail4']})).code, 0);
  const catalogue = await readFile(join(site.folder, 'public/api/v1/index.json'), 'utf8');
  await writeFile(
    join(site.folder, 'public/api/v1/index.json'),
    catalogue.replaceAll(site.url, 'https://other.example'),
  );
  const other = await site.promises();
  assert.equal(other.code, 1);
  assert.match(other.err, /Soft Fail 3 is no longer sold/);
});

test('removed parts and formats, and changed ones for the same as_of, are reported', async () => {
  await using site = await liveSite();
  const sold = {...CLASS_SHARE, max_rows: 1, parts: 1};
  await site.write('data/products/soft-fail-3.json', {...sold, formats: ['json', 'csv']});
  await site.commit();
  await site.goLive();
  await site.write('data/products/soft-fail-3.json', sold);
  await site.rewrite('d.example', 'e.example');
  const {code, out, err} = await site.promises();
  assert.equal(code, 0, err);
  const part = '/api/v1/softfail3-2';
  assert.match(out, /^Soft Fail 3 is no longer sold as \/api\/v1\/softfail3\.csv, /m);
  assert.ok(out.includes(`\n${part} of Soft Fail 3 changed though as_of, 2026-05-01T12:00:00.000Z, did not\n`), out);
  assert.match(out, /^promises to buyers: kept, as far as free documents show, compared with /m);
});

/** Responses that are not a site. */
const unreadable: Readonly<Record<string, readonly [Answering, RegExp]>> = {
  'an error': [(_, response) => response.writeHead(503).end(), /its catalogue answers 503/],
  'a redirect': [
    (_, response) => response.writeHead(301, {location: 'http://127.0.0.1:1/'}).end(),
    /its catalogue answers 301/,
  ],
  'a page': [(_, response) => response.end('<html>'), /its catalogue is of another kind: /],
  'another JSON document': [
    (_, response) => response.end('{"products": "none"}'),
    /its catalogue is of another kind: /,
  ],
  'endless nesting': [(_, response) => response.end('['.repeat(1e6)), /its catalogue is of another kind: /],
  'no answer': [request => request.destroy(), /it ended the connection without an answer/],
};

for (const [says, [answer, why]] of Object.entries(unreadable)) {
  test(`${says} in place of the site cannot be compared`, async () => {
    await using server = await rawServer(answer);
    using web = new Web(server.url, DEFAULTS.requestTimeout, new AbortController().signal);
    const live = await readLive(web, new Map());
    assert.equal(live.kind, 'unreadable');
    assert.match(live.why, why);
  });
}

test('a response that cannot be compared stops a second deployment, but not a first one', async () => {
  await using site = await liveSite();
  site.answerWith((_, response) => response.writeHead(503).end());
  const first = await site.deploy('--yes');
  assert.equal(first.code, 0, first.err);
  assert.match(
    first.out,
    /^promises to buyers: not compared with what is live at http\S+: its catalogue answers 503$/m,
  );
  const second = await site.deploy();
  assert.equal(second.code, 1);
  assert.match(
    second.err,
    /^http\S+ cannot be compared with what is deployed, so promises to buyers may break: its catalogue answers 503[^\n]*\n$/,
  );
  assert.equal((await site.promises({breaking: ['softfail3'], wasDeployed: true})).code, 0);
});

test('a deployment that was interrupted before its catalogue can be repeated', async () => {
  await using site = await liveSite();
  await site.goLive();
  const files = {'deny-list.csv': DENY_CSV.replace('a.example/,dead', 'a.example/,soft_fail')};
  await site.freeze({source: 'deny-list', date: '2026-06-01', files, schema: DENY_SCHEMA});
  await site.commit();
  const catalogue = await readFile(join(site.folder, 'public/api/v1/index.json'));
  await site.goLive();
  await writeFile(join(site.folder, 'public/api/v1/index.json'), catalogue);
  const {code, out, err} = await site.promises();
  assert.equal(code, 0, err);
  assert.match(out, /^promises to buyers: kept, compared with what is live at /m);
});

test('a live catalogue with other digests than its documents is not accepted', async () => {
  await using site = await liveSite();
  await site.goLive();
  await site.rewrite('a.example/,dead', 'a.example/,soft_fail');
  await writeFile(join(site.folder, 'public/api/v1/samples/softfail3.json'), '{}\n');
  const {code, err} = await site.promises();
  assert.equal(code, 1);
  assert.match(err, /samples\/softfail3\.json is not the document that the live catalogue lists/);
  assert.ok(!site.asked.includes('/api/v1/softfail3'), 'nothing is bought');
});
