import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {emptySite, type SiteFixture} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {gateProcess} from '../scripts/gate-process.ts';
import {account, accessBlock, BUCKET, s3Server} from '../scripts/s3-server.ts';
import {runScript} from '../scripts/script-run.ts';
import {countries} from './countries.ts';
import {licences} from './licences.ts';
import type {List, Taken} from './list.ts';

/** Runs a command that must succeed, and returns its output. */
async function ran(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const {code, out, err} = await runScript(command, args, env);
  assert.equal(code, 0, `${command} ${args.join(' ')}\n${out}${err}`);
  return out;
}

async function freeze(site: SiteFixture, {source, file}: List, date: string, {bytes, args}: Taken): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'list-'));
  await writeFile(join(folder, file), bytes);
  await ran('freeze', [source, join(folder, file), '--as-of', date, '--root', site.root, ...args]);
  await rm(folder, {recursive: true});
}

async function assertFigures(site: SiteFixture, list: List): Promise<void> {
  const reported: Record<string, object> = {};
  const counted = list.counted();
  for (const [name, expected] of Object.entries(counted)) {
    const document = await readJson(site.root, `public/api/v1/samples/${name}.json`);
    reported[name] = Object.fromEntries(Object.keys(expected).map(member => [member, document[member]]));
  }
  assert.deepEqual(reported, counted);
}

interface Reviewed {
  readonly findings: readonly {readonly severity: string; readonly code: string; readonly product: string}[];
}

for (const list of [licences, countries])
  describe(`${list.source}, a list of another publisher`, () => {
    test('is frozen, sold, frozen again, reviewed, deployed, verified and bought', async () => {
      await using site = await emptySite();
      const git = (...args: string[]) => execFileSync('git', args, {cwd: site.root, encoding: 'utf8'});
      const commit = async () => {
        await ran('build', ['--root', site.root]);
        git('add', '--all');
        git('commit', '--quiet', '--message', 'Build');
      };
      git('init', '--quiet', '--initial-branch', 'main');
      git('config', 'user.name', 'A Publisher');
      git('config', 'user.email', 'publisher@test.example');

      await freeze(site, list, '2026-05-01', list.first);
      const sell = async (products: List['products']) => {
        for (const [name, product] of Object.entries(products))
          await site.write(`data/products/${name}.json`, {name, price: '$0.02', source: list.source, ...product});
      };
      await sell(list.products);
      await commit();

      await freeze(site, list, '2026-06-01', list.second);
      const products = {...list.products};
      for (const [name, product] of Object.entries(list.laterProducts))
        products[name] = {...products[name], ...product};
      await sell(products);
      await ran('build', ['--root', site.root]);
      const {out} = await runScript('review', ['--json', '--root', site.root]);
      const broken = (JSON.parse(out) as Reviewed).findings.filter(({severity}) => severity === 'broken');
      assert.deepEqual([...new Set(broken.map(({code}) => code))], list.breaking.length > 0 ? ['breaking-schema'] : []);
      assert.deepEqual([...new Set(broken.map(({product}) => product))].toSorted(), list.breaking);
      await commit();
      await assertFigures(site, list);

      await using server = await s3Server({publicAccessBlock: accessBlock(true)});
      const s3 = ['s3', '--root', site.root, '--bucket', BUCKET, '--endpoint-url', server.url, '--yes'];
      await ran('deploy', s3, account);
      await using gate = await gateProcess(site.root);
      await ran('verify', ['site', gate.url, '--data', join(site.root, 'data')]);
      await ran('demo', ['--root', site.root, '--product', Object.keys(products)[0] ?? '', '--json']);
    });
  });
