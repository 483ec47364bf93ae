import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cp, rm} from 'node:fs/promises';
import {createInterface} from 'node:readline';
import {join} from 'node:path';
import type {Readable} from 'node:stream';
import {test} from 'node:test';
import {generatePrivateKey} from 'viem/accounts';
import {builtSite} from '../paywall/built-site.ts';
import {spawnGate} from '../paywall/gate-process.ts';
import {startStandIn} from '../paywall/stand-in.ts';
import {FROZEN} from '../project.ts';
import {newFolder} from './stall.ts';

test('--watch buys each new as_of within the budget, and reports once why it cannot buy', async () => {
  const facilitator = await startStandIn();
  const site = await builtSite(facilitator.url);
  await site.build();
  const gate = spawnGate(['--root', site.root]);
  const url = await gate.url;
  const folder = await newFolder();
  const args = [FROZEN, 'buy', url, 'softfail3', '--folder', folder, '--watch', '1', '--json', '--budget', '0.05'];
  const child = spawn(process.execPath, args, {env: {...process.env, FROZEN_BUYER_KEY: generatePrivateKey()}});
  const exited = once(child, 'exit');
  const linesOf = (stream: Readable): AsyncIterator<string> => createInterface(stream)[Symbol.asyncIterator]();
  const [lines, faults] = [linesOf(child.stdout), linesOf(child.stderr)];
  const bought = async () => JSON.parse(((await lines.next()) as {value: string}).value) as {folder: string};
  // A request while the build replaces files gets a 503, or a document that the former catalogue does not list.
  const complaint = async (): Promise<string> => {
    const {value} = (await faults.next()) as {value: string};
    return /answers 503|\[FZ603\]|^FZ/.test(value) ? complaint() : value;
  };

  assert.match((await bought()).folder, /2026-05-01T120000\.000Z-[0-9a-f]{8}$/);
  for (const [month, isBought] of [
    ['06', true],
    ['07', false],
  ] as const) {
    const from = join(site.root, 'data/sources/deny-list');
    await cp(join(from, '2026-05-01'), join(from, `2026-${month}-01`), {recursive: true});
    await site.edit(`sources/deny-list/2026-${month}-01/datapackage.json`, descriptor => {
      descriptor['as_of'] = `2026-${month}-01T12:00:00.000Z`;
    });
    await site.build();
    if (isBought) assert.match((await bought()).folder, /2026-06-01T120000\.000Z-[0-9a-f]{8}$/);
    else assert.match(await complaint(), /exceeds the rest of \$0\.05/);
  }
  assert.equal(facilitator.submitted.length, 2);
  child.kill('SIGINT');
  assert.deepEqual(await exited, [0, null]);
  gate.signal('SIGTERM');
  await gate.exitCode;
  await facilitator.stop();
  await site.remove();
  await rm(folder, {recursive: true});
});
