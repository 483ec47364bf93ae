import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, statSync} from 'node:fs';
import {cp, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {FROZEN} from '../project.ts';
import {CLASS_SHARE, denySite, emptySite, type SiteFixture} from './site-fixture.ts';
import {namedIn, readOutput} from './tree.ts';

const PRODUCTS = 60;
const KILLS = 4;

/** A site with many products, so that a build can be killed while it writes. */
async function manyProducts(title: string): Promise<SiteFixture> {
  const site = await denySite();
  for (let index = 0; index < PRODUCTS; index++)
    await site.write(`data/products/p${index}.json`, {...CLASS_SHARE, title: `${title} ${index}`});
  return site;
}

/** Runs a build in a separate process, and checks the catalogue repeatedly. */
async function buildAndKill(
  root: string,
  afterMs: number | undefined,
): Promise<{killed: boolean; looks: number; wrong: string[]; ms: number}> {
  const started = performance.now();
  const child = spawn(process.execPath, [FROZEN, 'build', '--root', root, '--json'], {stdio: 'ignore'});
  const ended = new Promise<NodeJS.Signals | null>(resolve =>
    child.once('exit', (_, signal) => {
      resolve(signal);
    }),
  );
  let [running, looks] = [true, 0];
  const wrong = new Set<string>();
  void ended.then(() => (running = false));
  while (running) {
    wrongNames(root).forEach(name => wrong.add(name));
    looks += 1;
    if (afterMs !== undefined && performance.now() - started >= afterMs) child.kill('SIGKILL');
    await sleep(20);
  }
  wrongNames(root).forEach(name => wrong.add(name));
  return {killed: (await ended) === 'SIGKILL', looks, wrong: [...wrong], ms: performance.now() - started};
}

/**
 * Returns documents in the catalogue that are missing or have other bytes. Reads synchronously, so that the state does
 * not change meanwhile.
 */
function wrongNames(root: string): string[] {
  const path = join(root, 'public/api/v1/index.json');
  for (let attempt = 0; ; attempt++) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    const wrong = text === undefined ? [] : wrongIn(root, text);
    // The build continues during this check, so only an unchanged catalogue counts.
    const after = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    if (text === after || attempt === 50) return text === after ? wrong : [];
  }
}

function wrongIn(root: string, text: string): string[] {
  return namedIn(JSON.parse(text)).flatMap(({path, sha256}) => {
    const digest = digestOf(join(root, 'public', path));
    if (digest === undefined) return [`${path} is missing`];
    return digest === sha256 ? [] : [`${path} has other bytes`];
  });
}

const digests = new Map<string, string>();

/** Hashes each state of a file once, because a build changes few of the files between two checks. */
function digestOf(file: string): string | undefined {
  const state = statSync(file, {bigint: true, throwIfNoEntry: false});
  if (!state) return undefined;
  const key = `${file} ${state.ino} ${state.size} ${state.mtimeNs} ${state.ctimeNs}`;
  const digest = digests.get(key) ?? createHash('sha256').update(readFileSync(file)).digest('hex');
  digests.set(key, digest);
  return digest;
}

test('a build that is killed at any time is repaired by the next one', async () => {
  await using before = await manyProducts('Before');
  await using after = await manyProducts('After');
  // Half of the products change, half are new, and the others are removed.
  for (let index = 0; index < PRODUCTS; index += 2)
    await after.write(`data/products/p${index}.json`, {...CLASS_SHARE, title: `Before ${index}`, price: '$0.05'});
  await before.build();
  await using undisturbed = await emptySite();
  await cp(before.root, undisturbed.root, {recursive: true});
  await cp(join(after.root, 'data'), join(undisturbed.root, 'data'), {recursive: true});
  await undisturbed.write('public/api/v1/samples/mine.json', '{"not": "ours"}');
  const whole = await buildAndKill(undisturbed.root, undefined);
  assert.deepEqual(whole.wrong, []);
  const expected = await readOutput(undisturbed.root);

  await using site = await emptySite();
  let [kills, ms] = [0, whole.ms];
  for (let kill = 1; kill <= KILLS; kill++) {
    await rm(site.root, {recursive: true});
    await cp(before.root, site.root, {recursive: true});
    await cp(join(after.root, 'data'), join(site.root, 'data'), {recursive: true});
    await site.write('public/api/v1/samples/mine.json', '{"not": "ours"}');
    // Most of a build is its start, so three quarters of the kills are in its second half.
    const share = kill <= KILLS / 4 ? kill / (KILLS / 2) : 0.5 + (kill - KILLS / 4) / (KILLS * 1.5);
    const disturbed = await buildAndKill(site.root, ms * share);
    assert.deepEqual(disturbed.wrong, [], `killed after ${share} of a build`);
    kills += Number(disturbed.killed);
    // If a build has ended before, this machine has become faster.
    if (!disturbed.killed) ms = Math.min(ms, disturbed.ms);
    const repaired = await site.build();
    assert.equal(repaired.code, 0, repaired.err);
    assert.deepEqual(await readOutput(site.root), expected, `killed after ${share} of a build`);
    assert.equal(existsSync(join(site.root, '.build')), false);
  }
  assert.ok(kills >= KILLS / 2, `only ${kills} of ${KILLS} builds were killed before their end`);
});
