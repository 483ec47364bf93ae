import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {hash} from 'node:crypto';
import {mkdir, mkdtemp, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {lostOf, MANY} from '../../build/cache/lost.ts';

/** Longer than what is read at once. */
const LONG = 'long '.repeat(1 << 17);
const textOf = (index: number) => (index === 0 ? LONG : index === 1 ? '' : `text ${index}`);

for (const count of [12, MANY]) {
  test(`of ${count} files those are found that have other bytes, or cannot be read`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'lost-'));
    try {
      const names = Array.from({length: count}, (_, index) => `file ${index}`);
      await Promise.all(names.map((name, index) => writeFile(join(root, name), textOf(index))));
      const outputs = Object.fromEntries(names.map((name, index) => [name, hash('sha256', textOf(index))]));
      assert.deepEqual(await lostOf(root, outputs), new Set());

      const changes: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
        'file 0': path => writeFile(path, `${LONG.slice(0, -1)}!`),
        'file 2': path => rm(path),
        'file 3': path => writeFile(path, 'text 4'),
        'file 5': async path => (await rm(path), mkdir(path)),
        'file 6': async path => (await rm(path), symlink('nowhere', path)),
        'file 7': async path => (await rm(path), execFileSync('mkfifo', [path])),
        [`file ${count - 1}`]: path => rm(path),
      };
      for (const [name, change] of Object.entries(changes)) await change(join(root, name));
      assert.deepEqual(await lostOf(root, outputs), new Set(Object.keys(changes)));
    } finally {
      await rm(root, {recursive: true});
    }
  });
}
