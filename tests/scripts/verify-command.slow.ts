import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {build} from '../../build/build.ts';
import type {Check} from '../../buyer/verify/check.ts';
import {tableOf, verdictOf} from '../../scripts/verify/report.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {exampleCopy} from './example-copy.ts';
import {runProcess, runScript} from './script-run.ts';

function failures(checks: readonly Check[]): string[] {
  return checks.filter(({state}) => state === 'failed').map(({what, detail}) => `${what}: ${detail}`);
}

/**
 * Builds from a list with one changed class, then restores the list. The site is consistent, but differs from its
 * source.
 */
async function forgeFigures(root: string): Promise<void> {
  const folder = join(root, 'data/sources/deny-list/2026-05-01');
  const [list, descriptor] = [join(folder, 'deny-list.csv'), join(folder, 'datapackage.json')];
  const [rows, described] = [await readFile(list, 'utf8'), await readFile(descriptor, 'utf8')];
  const forged = rows.replace(/,soft_fail/, ',dead');
  const hash = createHash('sha256').update(forged).digest('hex');
  const size = `"bytes": ${Buffer.byteLength(forged)}`;
  await writeFile(list, forged);
  await writeFile(descriptor, described.replace(/sha256:[0-9a-f]{64}/, `sha256:${hash}`).replace(/"bytes": \d+/, size));
  await build({root, check: false});
  await writeFile(list, rows);
  await writeFile(descriptor, described);
}

test('the project itself is verified, in a table without colours in a pipe', async () => {
  const {code, out, err} = await runProcess('verify', ['site', '--data', 'data']);
  assert.equal(code, 0, out + err);
  assert.match(out, /^✓ {2}frozen rows +\d+ paths +follows from the frozen rows, byte for byte$/m);
  assert.match(out, /^verified: .*: \d+ checks passed, 0 failed/m);
  assert.equal(out.includes('\u001b'), false);
});

test('folders are relative to the folder where npm was called', async () => {
  await using site = await exampleCopy();
  const mine = '"title": "Mine",\n  "worker": "frozen-snapshots"';
  await site.edit('data/site.json', text => text.replace(/"title": "[^"]*"/, mine));
  const called = {npm_lifecycle_event: 'verify', INIT_CWD: site.root};
  const {out} = await runProcess('verify', ['site', 'public', '--data', 'data', '--all'], called);
  assert.match(out, /index\.json +title is ".*"; computed from the frozen rows, it is "Mine"$/m);
});

test('finds consistent figures that differ from the frozen rows', async () => {
  await using site = await exampleCopy();
  await forgeFigures(site.root);
  assert.deepEqual(failures(await verifySite(site.root)), [], 'agrees with itself');
  const {code, out} = await runScript('verify', ['site', '--root', site.root, '--data', 'data', '--all']);
  assert.equal(code, 1);
  assert.match(
    out,
    /^✗ {2}frozen rows +\/api\/v1\/samples\/softfail3\.json +soft_fail_n is 7; computed from the frozen rows, it is 8$/m,
  );
});

test('compares a document with a repeated member by its last value, without the strict parser', async () => {
  await using site = await exampleCopy();
  const sample = '/api/v1/samples/softfail3.json';
  await site.forge(sample, text => text.replace('"soft_fail_n": 8', '"soft_fail_n": 8, "soft_fail_n": 7'));
  const {out} = await runScript('verify', ['site', '--root', site.root, '--data', 'data', '--all']);
  const ofSample = [...out.matchAll(/^✗ {2}frozen rows +\/api\/v1\/samples\/softfail3\.json +(.*)$/gm)];
  assert.deepEqual(
    ofSample.map(([, detail]) => detail),
    ['soft_fail_n is 7; computed from the frozen rows, it is 8'],
  );
});

test('a site for a host that sells nothing must not have the paid documents', async () => {
  await using site = await exampleCopy();
  const {products} = JSON.parse(await readFile(join(site.root, 'public/api/v1/index.json'), 'utf8')) as {
    products: {name: string}[];
  };
  const there = await verifySite(site.root, {freeOnly: true});
  assert.equal(failures(there).filter(text => text.startsWith('left out')).length, products.length);
  for (const {name} of products) await rm(join(site.root, 'public/api/v1', name));
  assert.deepEqual(failures(await verifySite(join(site.root, 'public'), {freeOnly: true})), []);
});

test('a count of one is in the singular', () => {
  const check = {what: 'price', subject: '/api/v1/one', state: 'passed', detail: ''} as const;
  assert.match(verdictOf('site', [check], 1), /: 1 check passed, 0 failed /);
  assert.match(tableOf([check, check], false), / {2}1 path$/);
});

test('products and paths have a line each, with the results of their checks', () => {
  const check = (subject: string, detail: string) => ({what: 'agreement', subject, state: 'passed', detail}) as const;
  const [one, other] = [check('one', 'agree'), check('other', 'agree')];
  const parts = [check('/api/v1/one-a', 'agrees'), check('/api/v1/one-b', 'agrees')];
  assert.match(tableOf([one, ...parts, other], false), / {2}2 products {2}agree\n.+ {2}2 paths {5}agrees$/);
});

test('--json and --all show every check', async () => {
  await using site = await exampleCopy();
  await site.edit('paywall/rules/rules.json', text => text.replace('"$0.15"', '"$0.16"'));
  const {code, out} = await runScript('verify', ['site', '--root', site.root, '--json']);
  const {ok, checks} = JSON.parse(out) as {ok: boolean; checks: Check[]};
  assert.equal(code, 1);
  assert.equal(ok, false);
  assert.deepEqual(
    checks.filter(({state}) => state === 'failed'),
    [{what: 'rules', subject: 'rules.json', state: 'failed', detail: 'price of webhookbundle is $0.16, not $0.15'}],
  );
  const all = await runScript('verify', ['site', '--root', site.root, '--all']);
  assert.match(all.out, /^✓ {2}schema +\/api\/v1\/softfail3 +matches its JSON Schema$/m);
});

test('a folder without a site is reported in one line, and wrong usage as such', async () => {
  const wrong: readonly (readonly [string[], number, RegExp])[] = [
    [['/'], 1, /^\/ is not a site of this kind: it does not contain public\/api\/v1\/index\.json\n$/],
    [['no-such-folder'], 1, /^no-such-folder does not exist\n$/],
    [
      ['https://verify.invalid', '--request-timeout', '5'],
      1,
      /^https:\/\/verify\.invalid cannot be (found|looked up)[^\n]*\n$/,
    ],
    [['https://a.example/path'], 2, /is not the origin of a site/],
    [['https://user:pw@a.example'], 2, /^https:\/\/a\.example\/ has a user name or password/],
    [['a', 'b'], 2, /^Too many arguments/],
    [['--request-timeout', 'soon'], 2, /--request-timeout "soon" is invalid: expected a number of seconds/],
    [['--data', 'public'], 2, /: expected a folder with the name data$/m],
  ];
  for (const [args, code, says] of wrong) {
    const ran = await runScript('verify', ['site', ...args]);
    assert.equal(ran.code, code, args.join(' '));
    assert.match(ran.err, says);
    assert.doesNotMatch(ran.err, /\n\s+at /);
  }
  const help = await runScript('verify', ['site', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.out, /Usage: .*--data <folder>.*Example: /s);
});
