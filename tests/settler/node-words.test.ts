import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {nodeAt, wordsOfNode} from '../../paywall/settler/node.ts';
import {startHttps} from '../scripts/https-host.ts';

const wordsAt = (rpcUrl: string) => nodeAt(rpcUrl).getChainId().then(String, wordsOfNode);

test('an error of a node names what made the request fail', async () => {
  assert.match(await wordsAt('http://127.0.0.1:9'), /^HTTP request failed\. .*(ECONNREFUSED|bad port)/);
});

test('a certificate of an unknown issuer names NODE_EXTRA_CA_CERTS', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'node-words-'));
  t.after(() => rm(folder, {recursive: true}));
  await using host = await startHttps((_, response) => response.end(), folder);
  assert.match(await wordsAt(host.origin), /issuer of the TLS certificate is unknown.* NODE_EXTRA_CA_CERTS/);
});
