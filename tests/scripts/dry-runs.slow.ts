import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {mkdir, mkdtemp, readdir, rm, utimes, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {sha256} from '../../shared/digest.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import {keyText, newSigningKey} from '../../shared/signing-key.ts';
import {SITE} from '../build/site-fixture.ts';
import {EXAMPLE} from '../example/example.ts';
import {startStandIn} from '../paywall/stand-in.ts';
import {gitSite} from './git-site.ts';
import {account, accessBlock, BUCKET, s3Server} from './s3-server.ts';
import {runProcess, runScript} from './script-run.ts';

/** Commands that use no cached builds. Only a separate process uses them. */
const IN_PROCESS: ReadonlySet<string> = new Set(['verify', 'freeze', 'buy']);

/** Returns every path below a folder, with the contents and modification time of files. */
async function treeOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true});
  const lines = entries.map(entry => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path} ${sha256(readFileSync(path))} ${statSync(path).mtimeMs}` : path;
  });
  return lines.sort();
}

/** A built and signed site with a new key for its signature, a separate home folder, a list and a bare repository. */
async function workshop() {
  const folder = await mkdtemp(join(tmpdir(), 'dry-runs-'));
  const site = await gitSite();
  const [home, list, keyFile] = [join(folder, 'home'), join(folder, 'list.csv'), join(folder, 'signing.key')];
  await mkdir(home);
  await writeFile(list, 'id,name\n1,one\n2,two\n');
  const key = await newSigningKey();
  await writeFile(keyFile, await keyText(key, undefined), {mode: 0o600});
  await site.write('data/site.json', {...SITE, signing: {kid: key.kid, x: key.x}});
  await site.commit();
  await site.write('public/api/v1/index.json.jws', 'an old signature');
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'remote')]);
  site.git('remote', 'add', 'origin', join(folder, 'remote'));
  const XDG = {XDG_CACHE_HOME: join(home, 'cache'), XDG_CONFIG_HOME: join(home, 'config')};
  const env = {...XDG, HOME: home, FROZEN_SIGNING_KEY_FILE: keyFile};
  // The cache has an entry of this site, and an entry of another version that has not been used for long.
  assert.equal((await runProcess('build', ['--root', site.root], env)).code, 0);
  const earlier = join(home, 'cache/frozen-snapshots', 'a'.repeat(64));
  await mkdir(earlier);
  await utimes(earlier, 0, 0);
  return {
    site,
    list,
    env,
    trees: () => Promise.all([treeOf(folder), treeOf(site.root)]),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await rm(folder, {recursive: true});
    },
  };
}

test('commands that only show something do not change the site, its repository or the home folder of the user', async t => {
  await using shop = await workshop();
  const {site, list, env} = shop;
  await using server = await s3Server({
    publicAccessBlock: accessBlock(true),
    live: () => {
      const text = readFileSync(join(site.root, 'paywall/rules/aws.template.json'), 'utf8');
      return (JSON.parse(text) as {Resources: {WebAcl: {Properties: object}}}).Resources.WebAcl.Properties;
    },
  });
  const facilitator = await startStandIn();
  const gate = await startGate(EXAMPLE, facilitator.url);
  t.after(() => Promise.all([gate.stop(), facilitator.stop()]));
  const root = ['--root', site.root];
  const frozen = join(site.root, 'data/sources/deny-list/2026-05-01/deny-list.csv');
  const s3 = ['s3', '--bucket', BUCKET, '--endpoint-url', server.url];
  const bought = join(env.HOME, 'bought');
  const shows: readonly (readonly [name: string, ...args: string[]])[] = [
    ['build', '--check', ...root],
    ['review', ...root],
    ['verify', 'site', '--data', 'data', ...root],
    ['freeze', 'things', list, '--dry-run', ...root],
    ['freeze', 'deny-list', frozen, '--dry-run', ...root],
    ['deploy', 'github-pages', ...root],
    ['deploy', ...s3, ...root],
    ['deploy', 'cloudflare', ...root],
    ['buy', gate.url, 'softfail3', '--dry-run', '--folder', bought],
  ];
  // The remains of a killed freeze, and files with an index entry that git would refresh.
  await mkdir(join(site.root, 'data/sources/deny-list/.freeze-1-2026-06-01'));
  await utimes(join(site.root, 'data/site.json'), 1, 1);
  for (const [name, ...args] of shows)
    await t.test([name, ...args].join(' '), async () => {
      const before = await shop.trees();
      const run = IN_PROCESS.has(name) ? runScript : runProcess;
      const {code, out, err} = await run(name, args, {...account, ...env});
      // The catalogue has another signature, which only a deployment replaces.
      assert.equal(code, name === 'verify' ? 1 : 0, out + err);
      assert.deepEqual(await shop.trees(), before);
    });
  assert.deepEqual(server.writes, []);

  await t.test('freeze --dry-run removes no empty folder', async () => {
    await rm(join(site.root, 'data/sources'), {recursive: true});
    await mkdir(join(site.root, 'data/sources/things'), {recursive: true});
    const before = await shop.trees();
    const {code, err} = await runScript('freeze', ['things', list, '--dry-run', ...root], env);
    assert.equal(code, 0, err);
    assert.deepEqual(await shop.trees(), before);
  });
});
