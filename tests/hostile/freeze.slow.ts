import assert from 'node:assert/strict';
import type {RequestListener} from 'node:http';
import {after, before, describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {readTree} from '../build/tree.ts';
import {freezeFixture, type FreezeFixture} from '../scripts/freeze-fixture.ts';
import {startHttps, type HttpsHost} from '../scripts/https-host.ts';
import {runScript} from '../scripts/script-run.ts';
import {runLimited} from './run-limited.ts';

const HEAD = 'url,class\nhttps://a.example/,dead\n';
const block = Buffer.alloc(1 << 20, 'https://a.example/,dead\n');

/** Responses by path. */
const answer: RequestListener = ({url = ''}, response) => {
  switch (url.split('?')[0]) {
    case '/endless.csv': {
      response.writeHead(200).write(HEAD);
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      more();
      return;
    }
    case '/bomb.csv':
      response.writeHead(200, {'content-encoding': 'gzip'}).end(gzipSync(Buffer.alloc(64 << 20, 'a,b\n')));
      return;
    case '/huge.csv':
      response.writeHead(200, {'content-length': 1e15}).write(HEAD);
      return;
    case '/silent.csv':
      return;
    case '/stalled.csv':
      response.writeHead(200).write(HEAD);
      return;
    case '/dripping.csv': {
      response.writeHead(200).write(HEAD);
      const drip = setInterval(() => response.write('h'), 200);
      response.once('close', () => {
        clearInterval(drip);
      });
      return;
    }
    case '/password.csv':
      response.writeHead(302, {location: 'https://someone:s3cret@127.0.0.1:1/deny.csv?key=s3cret'}).end();
      return;
    case '/token.csv':
      response.writeHead(302, {location: '//s3cret@127.0.0.1:1/deny.csv#s3cret'}).end();
      return;
    case '/plain.csv':
      response.writeHead(302, {location: 'ftp://someone:s3cret@h.example/deny.csv'}).end();
      return;
    case '/part.csv':
      response.writeHead(206, {'content-range': 'bytes 0-1/100'}).end(HEAD);
      return;
    case '/changed.csv':
      response.writeHead(203).end(HEAD);
      return;
    case '/old%E2%80%AE%C2%AD.csv':
      response.writeHead(200, {'last-modified': 'Fri, 31 Dec 275000 00:00:00 GMT'}).end(HEAD);
      return;
    case '/broken.csv':
      response.writeHead(302, {location: 'https://someone:s3cret@h.example:99999/'}).end();
      return;
    default:
      response.writeHead(404).end('no');
  }
};

// One line per case: the behaviour of a host, and the result of the download.
const cases: readonly (readonly [path: string, says: RegExp])[] = [
  ['/endless.csv', /cannot be downloaded \(the answer is larger than 16777216 bytes\)/],
  ['/bomb.csv', /is compressed for the transfer \(Content-Encoding: gzip\), which was not requested/],
  ['/huge.csv', /has 1000000000000000 bytes, more than the 16777216 of --max-mib/],
  ['/silent.csv', /cannot be downloaded \(there was no whole answer within 5 s\)/],
  ['/stalled.csv', /cannot be downloaded \(there was no whole answer within 5 s\)/],
  ['/dripping.csv', /cannot be downloaded \(there was no whole answer within 5 s\)/],
  ['/password.csv', /redirects to https:\/\/127\.0\.0\.1:1\/deny\.csv, which contains a name or a password/],
  ['/token.csv', /redirects to https:\/\/127\.0\.0\.1:1\/deny\.csv, which contains a name or a password/],
  ['/plain.csv', /redirects to ftp:\/\/h\.example\/deny\.csv, which is not an https: address/],
  ['/part.csv', /answers 206 Partial Content/],
  ['/changed.csv', /answers 203 /],
  ['/broken.csv', /redirects to https:\/\/…, which is not an address/],
];

/** Short limits only for hosts that are slow on purpose: on a busy machine every answer can take seconds. */
function limitsFor(path: string): readonly string[] {
  return ['/dripping.csv', '/silent.csv', '/stalled.csv'].includes(path) ? ['--total-timeout', '5'] : [];
}

describe('a download from a hostile host', () => {
  let fixture: FreezeFixture;
  let host: HttpsHost;
  before(async () => {
    fixture = await freezeFixture();
    host = await startHttps(answer, fixture.lists);
  });
  after(async () => {
    await host[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  for (const [path, says] of cases) {
    test(`ends without writing a file: ${path}`, async () => {
      const tree = await readTree(fixture.site.root);
      const {code, out, err, seconds, mebibytes} = await runLimited(
        'freeze',
        [
          ...['deny-list', `${host.origin}${path}?key=s3cret`, '--root', fixture.site.root],
          ...['--max-mib', '16', ...limitsFor(path)],
        ],
        {NODE_EXTRA_CA_CERTS: host.certificate},
      );
      assert.equal(code, 1, err);
      assert.match(err, says);
      assert.doesNotMatch(out + err, /s3cret|someone|^\s+at /m);
      assert.ok(seconds < 60 && mebibytes < 1024, `took ${seconds} s and ${mebibytes} MiB`);
      assert.deepEqual(await readTree(fixture.site.root), tree);
    });
  }

  test('ignores invalid dates and invisible characters', async () => {
    const args = ['other', `${host.origin}/old%E2%80%AE%C2%AD.csv`, '--root', fixture.site.root, '--dry-run'];
    const {code, out, err} = await runLimited('freeze', args, {NODE_EXTRA_CA_CERTS: host.certificate});
    assert.equal(code, 0, err);
    assert.match(out, /, kept as old-\.csv$/m);
  });

  test('accepts only numbers as limits', async () => {
    for (const flag of ['--max-mib', '--total-timeout']) {
      const {code, err} = await runScript('freeze', ['deny-list', `${host.origin}/x.csv`, flag, '0']);
      assert.equal(code, 2);
      assert.match(err, new RegExp(`${flag} "0" is invalid: expected a whole number`));
    }
  });
});
