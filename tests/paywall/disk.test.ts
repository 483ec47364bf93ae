import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {openDisk} from '../../paywall/site/disk.ts';

test('files that are requested concurrently are cached in memory like others', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'disk-'));
  t.after(() => rm(folder, {recursive: true}));
  const files = Array.from({length: 20}, (_, index) => `/${index}`);
  for (const file of files) await writeFile(join(folder, file), Buffer.alloc(400_000));
  const disk = await openDisk(folder);
  for (const file of files) await Promise.all([1, 2, 3, 4].map(() => disk.read(file)));
  for (const file of files) {
    const kept = await disk.read(file);
    assert.ok(kept !== undefined && kept === (await disk.read(file)), file);
  }
  for (const file of files) {
    await writeFile(join(folder, file), file);
    assert.equal(Buffer.from((await disk.read(file)) ?? []).toString(), file);
  }
});
