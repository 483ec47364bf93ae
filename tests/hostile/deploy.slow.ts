import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, test} from 'node:test';
import {openSite} from '../../paywall/site/open-site.ts';
import {redirectChecks} from '../../buyer/verify/folder.ts';
import {shownAddress, withShownAddresses} from '../../shared/shown-address.ts';
import {gitSite} from '../scripts/git-site.ts';
import {runScript} from '../scripts/script-run.ts';

const GIVEN = 'rewrites with status 200, which serves paid documents without payment';
const TAKEN = 'redirects /api/v1/softfail3, which the gate must be able to read';
const HIDDEN = 'redirects /api/v1/index.json, which the gate must be able to read';
const PLACEHOLDER = /has a placeholder or a \*/;
const NO_STATUS = /has the status .+, which is not one of 301, 302, 303, 307, 308/;

// One line per case: a `_redirects`, and the line and message of its refusal.
const rewrites: readonly (readonly [text: string, line: number, rule: string | RegExp])[] = [
  ['/free /api/v1/softfail3 200', 1, GIVEN],
  ['/free /api/v1/softfail3 200.0', 1, GIVEN],
  ['/free /api/v1/softfail3 +200', 1, GIVEN],
  ['/free /api/v1/softfail3 0200', 1, GIVEN],
  ['/free /api/v1/softfail3 2e2', 1, GIVEN],
  ['/free /api/v1/softfail3 0xC8', 1, GIVEN],
  ['/free /api/v1/softfail3 0b11001000', 1, GIVEN],
  ['\ufeff/free\u00a0/api/v1/softfail3\u2003200', 1, GIVEN],
  ['/old /new 301\n/free\t/api/v1/softfail3\t200 # moved', 2, GIVEN],
  ['free /api/v1/softfail3 200', 1, GIVEN],
  ['/free/:name /api/v1/:name 200', 1, PLACEHOLDER],
  ['/free/* /:splat 200', 1, PLACEHOLDER],
  ['/:a/:b/:c /:a/:b/:c 200', 1, PLACEHOLDER],
  ['/free /api/v1/%73oftfail3 200', 1, GIVEN],
  ['/free /api/v1/samples/../softfail3 200', 1, GIVEN],
  ['/free //api//v1/softfail3 200', 1, GIVEN],
  ['/free api/v1/softfail3 200', 1, GIVEN],
  ['/free /api/v1/softfail3?x#y 200', 1, GIVEN],
  ['/free /api/v1/softfail3 200!', 1, NO_STATUS],
  ['/free /api/v1/softfail3 404', 1, NO_STATUS],
  ['/free /api/v1/softfail3 200 Country=at', 1, /is not a rule/],
  ['/old /new 301\r/free /api/v1/softfail3 200', 1, /is not a rule/],
  ['/api/v1/softfail3 /sorry', 1, TAKEN],
  ['api//v1/x/../softfail3?y /sorry 301', 1, TAKEN],
  ['/api/v1/soft:x https://elsewhere.example/:x 308', 1, PLACEHOLDER],
  ['/:a/:b/softfail3* /sorry 302', 1, PLACEHOLDER],
  ['/api/* https://elsewhere.example/:splat 302', 1, PLACEHOLDER],
  ['/* /index.html 200', 1, PLACEHOLDER],
  [`/old${' '.repeat(300_000)}/new 301`, 1, /has more than 2000 characters/],
  ['/old /new 301\n'.repeat(2001), 2001, /exceeds the 2000 rules/],
  ['/api/v1/index.json /sorry 302', 1, HIDDEN],
];

describe('deploy cloudflare', () => {
  test('refuses a _redirects that bypasses the gate, in any spelling', async () => {
    await using site = await gitSite();
    const {catalogue} = await openSite(site.root);
    for (const [text, line, rule] of rewrites) {
      const [{state, detail} = assert.fail()] = redirectChecks(`${text}\n`, catalogue);
      assert.equal(state, 'failed', text);
      const said = `line ${line} `;
      assert.ok(detail.startsWith(said), `${text}: ${detail}`);
      assert.match(detail.slice(said.length), typeof rule === 'string' ? new RegExp(`^${rule}$`) : rule, text);
    }
    await site.write('public/_redirects', '/free /api/v1/softfail3 200\n');
    const {code, err} = await runScript('deploy', ['cloudflare', '--root', site.root, '--dirty']);
    assert.deepEqual([code, err], [1, `/_redirects fails "redirects": line 1 ${GIVEN}\n`]);
  });
});

/** Starts a git host that refuses all requests and repeats the secret in its response. */
async function refusingHost() {
  const server = createServer((request, response) => {
    response.writeHead(request.headers.authorization === undefined ? 401 : 403, {
      'www-authenticate': 'Basic realm="git"',
      'content-type': 'text/plain',
    });
    response.end('refused: https://someone:s3cret-token@git.example/x.git?key=s3cret-token\n');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const SECRET = /s3cret|someone/;

test('a token in the address of a remote is never printed, for a remote by name or by address, if it refuses or does not exist', async () => {
  await using site = await gitSite();
  await using host = await refusingHost();
  const addresses = [
    `http://someone:s3cret-token@127.0.0.1:${host.port}/x.git`,
    `http://s3cret-token@127.0.0.1:${host.port}/x.git`,
    'https://someone:s3cret-token@127.0.0.1:1/x.git',
    'ssh://someone:s3cret-token@127.0.0.1:1/x.git',
    'http://someone:s3cret token@127.0.0.1:1/x.git',
    'https//someone:s3cret-token@127.0.0.1:1/x.git',
    './someone:s3cret-token@127.0.0.1/x.git',
  ];
  for (const address of addresses) {
    site.git('remote', 'add', 'origin', address);
    const isNamed = address === addresses[0];
    for (const remote of [...(isNamed ? [[]] : []), ['--remote', address]]) {
      const args = ['github-pages', '--root', site.root, '--json', ...remote];
      const {code, out, err} = await runScript('deploy', args, {GIT_ASKPASS: 'true', SSH_ASKPASS: 'true'});
      assert.equal(code, 1, `${address}: ${out}`);
      assert.doesNotMatch(out + err, SECRET, address);
      assert.match(err, /^git \S+ failed: [^\n]+\n$/, address);
    }
    site.git('remote', 'remove', 'origin');
  }
});

const shown: readonly (readonly [address: string, path: string, origin: string])[] = [
  ['https://user:token@h.example/a.git?x=1#f', 'https://h.example/a.git', 'https://h.example'],
  ['https://token@h.example/a', 'https://h.example/a', 'https://h.example'],
  ['https://:token@h.example/a', 'https://h.example/a', 'https://h.example'],
  ['https:/user:token@h.example/a', 'https://h.example/a', 'https://h.example'],
  ['https:\\\\user:token@h.example/a', 'https://h.example/a', 'https://h.example'],
  ['https://us er:to ken@h.example/', 'https://h.example/', 'https://h.example'],
  ['https://user:token@h.example:99999/', 'https://…', 'https://…'],
  ['//user:token@h.example/x', '//…', '//…'],
  ['wss://node.example/v3/token', 'wss://node.example/v3/token', 'wss://node.example'],
  ['user:token@h.example:me/x.git', 'h.example:me/x.git', '…'],
  ['/srv/me@home/x.git', '/srv/me@home/x.git', '…'],
  ['[user:token@h.example]:me/x.git', 'h.example]:me/x.git', '…'],
  ['user:token@h.example/x.git', 'h.example/x.git', '…'],
  ['user:pass/token@h.example:x.git', 'h.example:x.git', '…'],
  ['me@h.example:token@x:y', 'x:y', '…'],
  ['ext::sh -c token me@h.example', 'ext::…', '…'],
];

test('an address is shown without its possible secrets', () => {
  for (const [address, path, origin] of shown) {
    assert.equal(shownAddress(address), path);
    assert.equal(shownAddress(address, 'origin'), origin);
  }
});

const reported: readonly (readonly [words: string, shown: string])[] = [
  [
    `fatal: unable to access 'https://a:b c@h.example/x/': see https://x.example/?t=1.`,
    `fatal: unable to access 'https://h.example/x/': see https://x.example/.`,
  ],
  [
    `fatal: '/root/https:/user:token@h.example/x' does not appear to be a git repository`,
    `fatal: 'h.example/x' does not appear to be a git repository`,
  ],
  [`fatal: 'https//user:token@h.example/x' is none`, `fatal: 'h.example/x' is none`],
  ['remote: see "(https://user:token@h.example/x), or not".', 'remote: see "(https://h.example/x), or not".'],
  ['token@h.example: Permission denied (publickey).', 'h.example: Permission denied (publickey).'],
  ['error:https://user:token@h.example/x: no', 'error:https://h.example/x: no'],
  ['fatal: transport ext::token failed', 'fatal: transport ext::… failed'],
  ['mail me@x.example about me@home/x.git', 'mail me@x.example about me@home/x.git'],
  [`it's told: isn't it?`, `it's told: isn't it?`],
];

test('secrets in addresses are removed from the messages of other programs, in linear time', () => {
  for (const [words, shown] of reported) assert.equal(withShownAddresses(words), shown);
  const start = performance.now();
  for (const piece of ['a', 'a:', ')', '@', "'", 'a://', 'a:b@']) withShownAddresses(piece.repeat(200_000));
  assert.ok(performance.now() - start < 5000);
});

test('the gate shows only the host of a node that it refuses', async () => {
  for (const FROZEN_RPC_URL of [
    'wss://node.example/v3/s3cret',
    'ftp://u:s3cret@node.example/',
    'https://node.example:99999/s3cret',
  ]) {
    const {code, err} = await runScript('start', [], {FROZEN_RPC_URL});
    assert.equal(code, 2);
    assert.match(err, /^FROZEN_RPC_URL is invalid/m);
    assert.doesNotMatch(err, SECRET);
  }
});
