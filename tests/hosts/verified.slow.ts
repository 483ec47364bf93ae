import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import type {Check} from '../../buyer/verify/check.ts';
import {CLASS_SHARE, denySite, type SiteFixture} from '../build/site-fixture.ts';
import {startWorker} from '../paywall/worker-gate.ts';
import {gateProcess, serveProcess} from '../scripts/gate-process.ts';
import {oneExaminer} from '../scripts/one-examiner.ts';
import {inFrontOf, type Exchange, type Instead} from '../scripts/raw-server.ts';
import {account, BUCKET, s3Server} from '../scripts/s3-server.ts';
import {runScript} from '../scripts/script-run.ts';
import {awsHost} from './aws-host.ts';
import type {Template} from './template.ts';

const paid = '/api/v1/softfail3';
let document: Buffer;

const verifySite = oneExaminer();

async function failures(target: string): Promise<Check[]> {
  return (await verifySite(target)).filter(({state}) => state === 'failed');
}

/** Starts the S3 server with the files of a real deployment, behind a model of the rules in the template of the site. */
async function deployedToAws(root: string): Promise<Host> {
  const bucket = await s3Server();
  const to = ['--bucket', BUCKET, '--endpoint-url', bucket.url, '--private-bucket'];
  const {code, err} = await runScript('deploy', ['s3', '--root', root, ...to, '--dirty', '--yes'], account);
  assert.equal(code, 0, err);
  const template = JSON.parse(await readFile(join(root, 'paywall/rules/aws.template.json'), 'utf8')) as Template;
  const host = await awsHost(template, bucket);
  return {
    url: host.url,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await bucket[Symbol.asyncDispose]();
    },
  };
}

interface Host extends AsyncDisposable {
  readonly url: string;
}

/** Faults of a host that leak parts of paid documents. */
const leaks: Readonly<Record<string, (exchange: Exchange) => Instead | undefined>> = {
  'the entity tag of the document on its 402': ({target, status}) =>
    target === paid && status === 402 ? {headers: {etag: '"a82f5c8b"'}} : undefined,
  'the entity tag of the page for what is missing on a 402': ({target, status}) =>
    target === paid && status === 402 ? {headers: {etag: missingTag}} : undefined,
  'an entity tag on a 404 that what is missing has not': ({target}) =>
    target === '/API/V1/SOFTFAIL3' ? {status: 404, headers: {etag: '"a82f5c8b"'}} : undefined,
  'the length of the document': ({target, method}) =>
    target === paid && method === 'HEAD' ? {body: '', headers: {'content-length': String(document.length)}} : undefined,
  'the document in another case': ({target, method}) =>
    target === '/API/V1/SOFTFAIL3' && method === 'GET' ? {status: 200, body: document} : undefined,
  'the document as the page for what is missing': ({target, method}) =>
    target === '/API/V1/SOFTFAIL3' && method === 'GET' ? {status: 404, body: document} : undefined,
};
let missingTag = '';

async function findsLeak(url: string, says: string): Promise<void> {
  missingTag = (await fetch(`${url}/no-such-page`)).headers.get('etag') ?? '"none"';
  await using front = await inFrontOf(url, leaks[says] ?? assert.fail(says));
  const found = await failures(front.url);
  assert.ok(found.some(({what, subject}) => what === 'leaks' && subject === paid));
  assert.deepEqual(
    found.filter(({subject}) => subject !== paid),
    [],
  );
}

describe('a site at its hosts', () => {
  // A site of one product, because each verification requests many spellings of each paid path.
  let site: SiteFixture;
  let gate: Host;
  let worker: Host;
  let aws: Host;
  before(async () => {
    site = await denySite();
    await site.build();
    document = await readFile(join(site.root, 'public', paid));
    gate = await gateProcess(site.root);
    const started = await startWorker(site.root, {});
    worker = {url: started.url, [Symbol.asyncDispose]: () => started.stop()};
    aws = await deployedToAws(site.root);
  });
  after(async () => {
    for (const opened of [gate, worker, aws, site]) await opened[Symbol.asyncDispose]();
  });

  for (const [name, host] of [
    ['workerd', () => worker],
    ['S3 and the rules of AWS', () => aws],
  ] as const)
    test(`a site at ${name} is verified, and a leak that differs between hosts is found`, async () => {
      const {url} = host();
      assert.deepEqual(await failures(url), []);
      await findsLeak(url, 'the entity tag of the page for what is missing on a 402');
    });

  test('a site at gate is verified, and each leak is found', async t => {
    assert.deepEqual(await failures(gate.url), []);
    for (const says of Object.keys(leaks)) await t.test(says, () => findsLeak(gate.url, says));

    for (const location of ['/llms.txt', 'https://elsewhere.example/', '//elsewhere.example/404', '/index'])
      await t.test(`a redirect to ${location} is not followed`, async () => {
        await using front = await inFrontOf(gate.url, ({target}) =>
          target === '/404.html' ? {status: 307, headers: {location}, body: ''} : undefined,
        );
        const found = await failures(front.url);
        assert.deepEqual(
          found.map(({what, subject}) => `${what} ${subject}`),
          ['status /404.html'],
        );
      });
  });

  test('without a gate, each paid document, part and format is reported', async () => {
    await using site = await denySite();
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, parts: 1, formats: ['json', 'csv']});
    await site.build();
    await using server = await serveProcess(site.root);
    const found = await failures(server.url);
    const free = found.filter(({what, detail}) => what === '402' && detail.startsWith('answers 200 without payment'));
    assert.equal(free.length, 6);
  });

  test('free documents have the same cache headers at the gate and in workerd, and the same responses to other methods', async () => {
    const names = [
      'cache-control',
      'access-control-allow-origin',
      'access-control-expose-headers',
      'x-content-type-options',
    ];
    const asked = {origin: 'https://page.example', 'access-control-request-method': 'GET'};
    for (const path of ['/', '/llms.txt', '/openapi.json', '/api/v1/index.json', '/api/v1/samples/softfail3.json']) {
      const [ours, theirs] = await Promise.all([gate, worker].map(({url}) => fetch(url + path)));
      assert.equal(ours?.headers.get('cache-control'), 'public, max-age=300', path);
      for (const name of names) assert.equal(theirs?.headers.get(name), ours.headers.get(name), `${path} ${name}`);
      for (const method of ['OPTIONS', 'POST', 'DELETE']) {
        const refusals = await Promise.all([gate, worker].map(({url}) => fetch(url + path, {method, headers: asked})));
        for (const {status, headers} of refusals) {
          assert.equal(status, 405, path);
          assert.equal(headers.get('allow'), 'GET, HEAD', path);
          assert.equal(headers.get('access-control-allow-methods'), null, path);
          for (const name of names.slice(1)) assert.equal(headers.get(name), ours.headers.get(name), `${path} ${name}`);
        }
      }
    }
  });

  test('free documents have the same responses to other methods behind the rules of AWS', async () => {
    for (const path of ['/', '/llms.txt', '/api/v1/index.json', '/api/v1/samples/softfail3.json']) {
      for (const method of ['OPTIONS', 'POST', 'DELETE']) {
        const {status, headers} = await fetch(aws.url + path, {method});
        const sent = ['allow', 'access-control-allow-origin', 'access-control-allow-methods'].map(name =>
          headers.get(name),
        );
        assert.deepEqual([status, ...sent], [405, 'GET, HEAD', '*', null], path);
      }
    }
  });

  test('serve returns the file for every method, and does not allow pages of other origins to read it', async () => {
    await using server = await serveProcess(site.root);
    for (const path of ['/llms.txt', paid]) {
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const {status, headers} = await fetch(server.url + path, {method, headers: {origin: 'https://page.example'}});
        assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, null], path);
      }
    }
  });
});
