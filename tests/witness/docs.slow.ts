import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {cp} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {parseEther} from 'viem';
import {generatePrivateKey, privateKeyToAddress} from 'viem/accounts';
import {startChain} from '../../scripts/local-chain/chain.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import {nodesOf, readPage} from '../docs/page.ts';
import {Reader} from '../docs/reader.ts';
import {Authority} from './authority.ts';

test('the commands in docs/witnesses.md have the results that it shows, with an authority and a node', async () => {
  using authority = new Authority();
  await using served = await authority.serve();
  await using chain = await startChain();
  await using reader = await Reader.start();
  const site = await reader.site();
  await using host = await listen({
    fetch: ({url}) => new Response(new Uint8Array(readFileSync(join(site, 'public', new URL(url).pathname)))),
  });
  const key = generatePrivateKey();
  await chain.client.setBalance({address: privateKeyToAddress(key), value: parseEther('1')});
  writeFileSync(join(site, 'witness.key'), key, {mode: 0o600});
  await cp(authority.ca, join(site, 'authority.pem'));
  const described = join(site, 'data/site.json');
  writeFileSync(described, readFileSync(described, 'utf8').replaceAll('https://snapshots.example', host.url));

  const here = (commands: string) =>
    commands
      // Without a gate, a site on a host fails: that is checked elsewhere.
      .replaceAll('frozen verify site https://snapshots.example', 'frozen verify site .')
      .replaceAll('https://snapshots.example', host.url)
      .replaceAll('https://tsa.example/tsr', served.url)
      .replaceAll('https://node.example', chain.rpcUrl);
  const blocks = nodesOf(readPage('docs/witnesses.md').tree, 'code').filter(({meta}) => meta?.includes('witness/docs'));
  assert.equal(blocks.length, 5);
  for (const block of blocks) {
    await reader.follow({...block, meta: null, value: here(block.value)});
    await chain.client.mine({blocks: 12});
  }
  const proof = JSON.parse(readFileSync(join(site, 'transaction.json'), 'utf8')) as {digest: string};
  assert.equal(readFileSync(join(site, 'digest.txt'), 'utf8').trim(), proof.digest);
});
