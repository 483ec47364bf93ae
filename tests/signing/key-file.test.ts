import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {readSecretFile} from '../../paywall/settler/key-file.ts';

test(
  'a pipe in place of a key file is refused immediately, although nothing is written to it',
  {timeout: 5_000},
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'key-'));
    const pipe = join(folder, 'signing.key');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    await assert.rejects(readSecretFile(pipe, 'The key file'), /^\S+: The key file is not a file\.$/);
    await rm(folder, {recursive: true});
  },
);
