import assert from 'node:assert/strict';
import {chmod, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {readKeyFile, readSecretFile} from '../../paywall/settler/key-file.ts';

const KEY = '11'.repeat(32);
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';

/** Runs a test with a file of this content and mode. */
async function withFile(text: string, mode: number, run: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  const file = join(folder, 'settler.key');
  await writeFile(file, text);
  await chmod(file, mode);
  await run(file);
  await rm(folder, {recursive: true});
}

for (const text of [KEY, `0x${KEY}\n`])
  test(`reads the key of ${text.length} characters`, () =>
    withFile(text, 0o600, async file => {
      assert.equal((await readKeyFile(file)).address, ADDRESS);
    }));

test('refuses a file without a key, and does not show its text', () =>
  withFile(`${KEY}1`, 0o600, async file => {
    const message = `The settler's key file ${file} does not contain a private key of 64 hex digits.`;
    await assert.rejects(readKeyFile(file), {name: 'SiteError', code: 'FZ504', message});
    const ofSite = `The site's key file ${file} does not contain a private key of 64 hex digits.`;
    await assert.rejects(readKeyFile(file, "The site's key file"), {message: ofSite});
  }));

test('refuses a path that is not a file', async () => {
  await assert.rejects(readSecretFile(tmpdir(), 'The file'), {code: 'FZ504', message: 'The file is not a file.'});
  const missing = join(tmpdir(), 'no such file');
  await assert.rejects(readSecretFile(missing, 'The file'), {
    ...{code: 'FZ504', message: 'The file does not exist.'},
    cause: Object.assign(new Error(`ENOENT: no such file or directory, open '${missing}'`), {
      ...{errno: -2, code: 'ENOENT', syscall: 'open', path: missing},
    }),
  });
});

test('closes the file', () =>
  withFile('a secret', 0o600, async file => {
    const countOpen = async () => (await readdir('/dev/fd')).length;
    const before = await countOpen();
    await readSecretFile(file, 'The file');
    assert.equal(await countOpen(), before);
  }));

const open = 'The file can be read by other users.';
const modes: readonly [mode: number, refusal: string | undefined, warning?: string][] = [
  [0o600, undefined],
  [0o400, undefined],
  [0o640, open],
  [0o604, open],
  [0o666, open],
  [0o444, undefined, 'The file can be read by other users of this machine.'],
];
for (const [mode, message, warning] of modes)
  test(`${message ? 'refuses' : 'reads'} a file with the mode ${mode.toString(8)}${warning ? ' with a warning' : ''}`, () =>
    withFile('a secret', mode, async file => {
      const warnings: string[] = [];
      const reading = readSecretFile(file, 'The file', line => warnings.push(line));
      if (message) await assert.rejects(reading, {code: 'FZ504', message});
      else assert.equal(await reading, 'a secret');
      assert.deepEqual(warnings, warning ? [warning] : []);
    }));

test('warns on stderr', t =>
  withFile('a secret', 0o444, async file => {
    const written = t.mock.method(process.stderr, 'write', () => true);
    await readSecretFile(file, 'The\u0007file');
    written.mock.restore();
    assert.deepEqual(written.mock.calls[0]?.arguments, [
      'The\\u0007file can be read by other users of this machine.\n',
    ]);
  }));

test('reads at most 4,096 bytes', () =>
  withFile('x'.repeat(5_000), 0o600, async file => {
    assert.equal((await readSecretFile(file, 'The file')).length, 4_096);
  }));
