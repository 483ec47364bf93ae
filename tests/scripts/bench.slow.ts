import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {openSite} from '../../paywall/site/open-site.ts';
import {copyPaidHere} from '../bench/gate/paid-here.ts';
import {network} from '../../scripts/local-chain/chain.ts';
import {fixtureSite} from '../paywall/fixture-site.ts';
import {PROJECT} from '../project.ts';
import {runNode, type Ran} from './script-run.ts';

interface Benches {
  readonly commit: string;
  readonly formerCommit?: string;
  readonly machine: {readonly cores: number; readonly node: string};
  readonly extent: string;
  readonly failures: readonly string[];
  readonly start: {readonly turns: readonly Turn[]};
  readonly site: {readonly turns: readonly Turn[]};
  readonly queries: {readonly products: number; readonly rows: number; readonly turns: readonly Turn[]};
}

interface Turn {
  readonly name: string;
  readonly seconds: {readonly median: number; readonly min: number; readonly max: number};
  readonly cpuSeconds: {readonly median: number};
  readonly peakMebibytes: {readonly median: number};
  readonly ratios: Readonly<Record<string, {readonly median: number}>>;
  readonly ratiosToFormer?: Readonly<Record<'seconds' | 'cpuSeconds', {readonly median: number}>>;
}

function runBench(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return runNode(['--import', 'tsx', 'tests/bench/main.ts', ...args], env);
}

test('--help lists the benches', async () => {
  const {code, out, err} = await runBench(['--help']);
  assert.equal(code, 0);
  assert.equal(err, '');
  for (const name of ['rows', 'lines', 'products', 'queries', 'site', 'start', 'gate', '--quick', '--former', '--json'])
    assert.match(out, new RegExp(name));
});

test('wrong usage ends with 2 and an explanation', async () => {
  const {code, out, err} = await runBench(['speed']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(
    err,
    /'speed' is invalid for argument 'benches'\. Allowed choices are rows, lines, products, queries, site, start, gate\./,
  );
});

test('a folder without compiled code is wrong usage', async () => {
  const {code, err} = await runBench(['site', '--former', import.meta.dirname]);
  assert.equal(code, 2);
  assert.match(err, /It has no dist\/frozen\.js\. Run `npm ci` and `npm run compile` in it\./);
});

test('builds of former code are measured in turns with those of this code', async () => {
  const {code, out, err} = await runBench(['site', '--quick', '--json', '--former', PROJECT]);
  assert.equal(code, 0, err);
  const {commit, formerCommit, site} = JSON.parse(out) as Benches;
  assert.equal(formerCommit, commit);
  assert.deepEqual(
    site.turns.map(({name, ratiosToFormer}) => [name, Object.keys(ratiosToFormer ?? {})]),
    [
      ['node -e 0', []],
      ['former build, cold', []],
      ['build, cold', ['seconds', 'cpuSeconds']],
      ['former build, nothing changed', []],
      ['build, nothing changed', ['seconds', 'cpuSeconds']],
    ],
  );
  const [, formerCold, cold, formerUnchanged, unchanged] = site.turns.map(({cpuSeconds}) => cpuSeconds.median);
  assert.ok(cold && formerCold && unchanged && formerUnchanged);
  // With a cached result, a build loads only a part of the code.
  assert.ok(Math.min(cold, formerCold) > 2 * Math.max(unchanged, formerUnchanged), out);
  assert.equal(site.turns[2]?.ratiosToFormer?.cpuSeconds.median, cold / formerCold);
});

test('quick benches print their figures as JSON and remove their temporary files', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const args = ['start', 'queries', '--quick', '--json'];
    const {code, out, err} = await runBench(args, {TMPDIR: temporary});
    assert.equal(code, 0, err);
    const {commit, machine, extent, failures, start, queries} = JSON.parse(out) as Benches;
    // A copy of the project has no repository.
    if (existsSync(join(PROJECT, '.git'))) assert.match(commit, /^[0-9a-f]{7,}(-dirty)?$/);
    assert.equal(machine.node, process.version);
    assert.ok(machine.cores >= 1);
    assert.equal(extent, 'quick');
    assert.deepEqual(failures, []);
    assert.ok(start.turns.some(({name}) => name === 'verify --help'));
    for (const {name, seconds, ratios} of start.turns) {
      assert.ok(seconds.min > 0 && seconds.min <= seconds.median && seconds.median <= seconds.max, name);
      assert.equal('node -e 0' in ratios, name !== 'node -e 0');
    }
    assert.ok(queries.products > 0 && queries.rows > 0);
    assert.deepEqual(
      queries.turns.map(({name, ratios}) => [name, Object.keys(ratios)]),
      [
        ['the same statements, bare', []],
        ['build', ['the same statements, bare']],
      ],
    );
    // The cache of tsx.
    assert.deepEqual(
      (await readdir(temporary)).filter(name => !name.startsWith('tsx-')),
      [],
    );
  } finally {
    await rm(temporary, {recursive: true});
  }
});

test('quick benches print their tables', async () => {
  const names = ['rows', 'products', 'site'];
  const {code, out, err} = await runBench([...names, '--quick']);
  assert.equal(code, 0, err);
  for (const name of names) assert.match(out, new RegExp(`^${name}$`, 'm'));
  assert.match(out, /^build, nothing changed +\d/m);
  // For the log of CI.
  process.stdout.write(out);
});

test('a site that was never built is reported in one line', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const {code, err} = await runBench(['site', 'gate', '--quick', '--root', empty]);
    assert.equal(code, 1);
    assert.match(err, /^paywall\/rules\/rules\.json does not exist\n$/);
  } finally {
    await rm(empty, {recursive: true});
  }
});

test('a site with payments on a main network is measured with payments on the local chain', async () => {
  const payee = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';
  const site = await fixtureSite({accepts: [{network: 'eip155:8453', pay_to: payee}]});
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    await copyPaidHere(site.root, folder);
    const {rules, catalogue} = await openSite(folder);
    assert.deepEqual(rules.payment.accepts, [{network, pay_to: payee}]);
    assert.deepEqual(catalogue.payment.accepts, rules.payment.accepts);
  } finally {
    await Promise.all([site.remove(), rm(folder, {recursive: true})]);
  }
});
