import assert from 'node:assert/strict';
import {readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {generatePrivateKey} from 'viem/accounts';
import {PROJECT} from '../project.ts';
import {runNode} from '../scripts/script-run.ts';
import {openStall} from './stall.ts';

const MOST_BYTES = 3_000_000;
const EXAMINER = pathToFileURL(join(PROJECT, 'dist/examiner-process.js')).href;

test('frozen-snapshots/buy loads less than 3 MB for a purchase, including viem, and neither DuckDB nor AWS packages', async () => {
  await using stall = await openStall();
  const program = `
    import {buyer} from 'frozen-snapshots/buy';
    const {kind} = await buyer({key: process.env.FROZEN_BUYER_KEY, folder: '${stall.folder}'}).buy('${stall.gate.url}', 'softfail3');
    console.log(kind);
    // The process that examines documents has no environment, so what it loads is loaded here.
    await import('${EXAMINER}');
    process.emit('message', {type: 'document', subject: 'a document', bytes: Buffer.from('{}')});
  `;
  const list = join(stall.folder, 'loaded.txt');
  const {code, out, err} = await runNode(['--input-type=module', '--eval', program], {
    FROZEN_BUYER_KEY: generatePrivateKey(),
    LOADED: list,
    NODE_OPTIONS: `--import ${new URL('loaded.js', import.meta.url).href}`,
  });
  assert.deepEqual([code, out], [0, 'bought\n'], err);
  const files = new Set((await readFile(list, 'utf8')).split('\n').filter(url => url.startsWith('file:')));
  assert.ok(files.has(EXAMINER));
  const sizes = await Promise.all([...files].map(async file => (await stat(fileURLToPath(file))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  for (const file of files) assert.doesNotMatch(file, /duckdb|aws/);
});
