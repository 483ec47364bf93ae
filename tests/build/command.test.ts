import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {frozen} from '../../scripts/program.ts';
import {CLASS_SHARE, DENY_SCHEMA, denySite, SITE} from './site-fixture.ts';
import {ERRORS} from '../../shared/error-codes.ts';
import {plainErrors} from '../plain-errors.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {runIn} from '../scripts/script-run.ts';

/** Runs the command in this process. */
async function run(...args: string[]) {
  const written = {stdout: '', stderr: ''};
  const status = await frozen(['build', ...args], {
    out: {write: (text: string) => (written.stdout += text)},
    err: {write: (text: string) => (written.stderr += text)},
  });
  return {status, stdout: written.stdout, stderr: plainErrors(written.stderr)};
}

test('--help explains the command and gives an example', async () => {
  const {status, stdout} = await run('--help');
  assert.equal(status, 0);
  assert.match(stdout, /Usage: .*--check.*Example: /s);
});

test('a mistyped flag, an extra argument and a root without a folder are wrong usage', async () => {
  for (const args of [
    ['--chekc'],
    ['stray'],
    ['--root'],
    ['--root='],
    ['--root', join(PROJECT, 'package.json')],
    ['--root', 'nowhere'],
  ]) {
    const {status, stderr} = await run(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^(Unknown option|Too many arguments|--root needs|--root "[^"]*" is) [^\n]*\n$/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('the summary shows every product with its figures, plain when piped', async () => {
  await using site = await denySite();
  const {status, stdout} = await run('--root', site.root);
  assert.equal(status, 0);
  assert.match(stdout, /^Soft Fail 3 {2}\$0\.02 {2}2026-05-01 {2}2 of 4 rows are classed soft_fail, a ratio of 0\.5$/m);
  assert.match(stdout, /^built: 1 product, \d+ files below \S+: \d+ added, 0 changed, 0 removed {2}\d/m);
  assert.equal(stdout.includes('\u001b'), false, 'no colours in a pipe');
});

test('a note names a price that clients with default settings refuse', async () => {
  await using site = await denySite();
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$1.01'});
  assert.match(
    (await run('--root', site.root)).stdout,
    /Soft Fail 3 costs \$1\.01: x402 clients with default settings refuse to pay more than \$1\.00 a request/,
  );
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$1.00'});
  assert.doesNotMatch((await run('--root', site.root)).stdout, /x402 clients/);
});

test('a note names a sample that shows the whole document', async () => {
  await using site = await denySite();
  const note = /^the free sample shows all rows that are for sale: Soft Fail 3$/m;
  assert.match((await run('--root', site.root)).stdout, note);
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, examples: 1});
  assert.doesNotMatch((await run('--root', site.root)).stdout, note);
});

test('no data controls the terminal', async () => {
  await using site = await denySite();
  const figures = "SELECT chr(27) || '[2J' || chr(10) || 'up to date: ' || chr(8238) AS m";
  const query = {kind: 'query', class: undefined, figures, rows: 'FROM rows ORDER BY url'};
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, ...query});
  const {status, stdout} = await run('--root', site.root);
  assert.equal(status, 0);
  assert.match(stdout, /m: \\u001b\[2J\\u000aup to date: \\u202e$/m);
  assert.doesNotMatch(stdout, /[\u001b\u202e]|^up to date/m);
});

test('a note names files among the products that are not products', async () => {
  await using site = await denySite();
  await site.write('data/products/.draft.jsn', '');
  assert.doesNotMatch((await run('--root', site.root)).stdout, /not read/);
  for (const name of ['6', '5', '4\u001b', '3', 'two.jsn', 'one.JSON']) await site.write(`data/products/${name}`, '{');
  const {status, stdout} = await run('--root', site.root);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^only \.json files are products; in data\/products these are not read: 3, 4\\u001b, 5, 6, one\.JSON and 1 more$/m,
  );
});

test('a note names files of another build among the documents, with or without changes', async () => {
  await using site = await denySite();
  const note =
    /^the catalogue does not list these, .* delete public\/api\/v1\/old, public\/api\/v1\/samples\/old\.json$/m;
  assert.doesNotMatch((await run('--root', site.root)).stdout, /does not list/);
  for (const name of ['old', 'samples/old.json', '.hidden']) await site.write(`public/api/v1/${name}`, '{}');
  for (const flags of [[], [], ['--check']]) {
    const {status, stdout} = await run('--root', site.root, ...flags);
    assert.equal(status, 0);
    assert.match(stdout, note);
  }
});

test('an error for a host has its remedy', async () => {
  await using site = await denySite();
  await site.write('data/site.json', {...SITE, hosts: ['aws', 'serve']});
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.0005'});
  const {status, stderr} = await run('--root', site.root);
  assert.equal(status, 1);
  assert.match(stderr, /^paywall\/rules\/aws\.template\.json: .*\ndata\/site\.json:13: hosts may not contain aws, /);
  await site.write('data/site.json', {...SITE, hosts: []});
  assert.equal((await run('--root', site.root)).status, 0);
});

test('a host that the site does not name and that cannot sell it is omitted with a note', async () => {
  const polygon = {...SITE.payment, accepts: [{...SITE.payment.accepts[0], network: 'eip155:137'}]};
  const cases: readonly (readonly [site: object, product: object, why: string])[] = [
    [{}, {price: '$0.0005'}, 'the price of softfail3 "$0.0005" has more than three decimals'],
    [{payment: polygon}, {}, 'data/site.json: payment.accepts[0].network "eip155:137" is not a network AWS WAF knows'],
  ];
  for (const [members, product, why] of cases) {
    await using site = await denySite();
    assert.equal((await run('--root', site.root)).status, 0);
    await site.write('data/site.json', {...SITE, ...members});
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, ...product});
    const {status, stdout, stderr} = await run('--root', site.root);
    assert.deepEqual([status, stderr], [0, '']);
    const [note = ''] = stdout.split('\n').filter(line => line.startsWith('no files are written for aws'));
    assert.ok(note.includes(why), stdout);
    const rules = await readdir(join(site.root, 'paywall/rules'));
    assert.deepEqual(rules.sort(), ['github-pages.json', 'rules.json', 'wrangler.jsonc']);
    assert.equal((await run('--root', site.root, '--check')).status, 0);
  }
});

test('--json prints the figures and the changes, or the faults', async () => {
  await using site = await denySite();
  const built = JSON.parse((await run('--root', site.root, '--json')).stdout) as {
    ok: boolean;
    products: {figures: Record<string, number>}[];
  };
  assert.equal(built.ok, true);
  assert.equal(built.products[0]?.figures['soft_fail_ratio'], 0.5);
  assert.equal((JSON.parse((await run('--root', site.root, '--json', '--check')).stdout) as {ok: boolean}).ok, true);
  await site.write('data/site.json', '{}');
  const {status, stdout, stderr} = await run('--root', site.root, '--json');
  const refused = JSON.parse(stdout) as {ok: boolean; errors: object[]};
  assert.equal(status, 1);
  assert.equal(refused.ok, false);
  const {fix} = ERRORS.FZ203;
  const place = {file: 'data/site.json', line: 1, field: 'title'};
  assert.deepEqual(refused.errors[0], {code: 'FZ203', message: 'title is missing.', fix, ...place});
  assert.match(stderr, /^data\/site\.json:1: title is missing$/m);
});

test('a value that is not a number has its own remedy', async () => {
  await using site = await denySite();
  const texts = ['"1"', '" 1"', '007', '+5', '1.', '1e3', 'N/A', 'NaN', 'one'];
  const rows = texts.map((text, n) => `https://${n}.example/,dead,${text.replaceAll('"', '')}\n`);
  const fields = [...DENY_SCHEMA.fields, {name: 'n', type: 'integer'}];
  await site.freeze({
    source: 'deny-list',
    files: {'deny-list.csv': `url,class,n\n${rows.join('')}`},
    schema: {...DENY_SCHEMA, fields},
  });
  const {stdout} = await run('--root', site.root, '--json');
  const {errors} = JSON.parse(stdout) as {errors: {message: string; fix: string}[]};
  const orText = 'or make the column text with frozen freeze … --new-schema.';
  const asText = 'To keep it, make the column text with frozen freeze … --new-schema.';
  const asInJson = `Write it as JSON does, such as 7 or 0.5. ${asText}`;
  const ofNumbers =
    'Write all digits and no point, or make the column a column of numbers with frozen freeze … --new-schema.';
  assert.deepEqual(
    errors.map(({message, fix}) => [message, fix]),
    [
      ['n " 1" has white space around it.', 'Remove it.'],
      ['n "007" has leading zeros, which a number would lose.', asText],
      ['n "+5" has characters that a number would lose.', asInJson],
      ['n "1." has characters that a number would lose.', asInJson],
      ['n "1e3" is not written as an integer.', ofNumbers],
      [
        'n "N/A" is not an integer but looks like a missing value.',
        `Freeze the list with --missing N/A, leave the value empty, ${orText}`,
      ],
      ['n "NaN" is not a finite number.', `Freeze the list with --missing NaN, leave the value empty, ${orText}`],
      ['n "one" is not an integer.', `Correct it, ${orText}`],
    ],
  );
});

for (const type of ['number', 'integer'])
  test(`a number of JSON with too many digits in a column of type ${type} has a remedy for its whole column`, async () => {
    await using site = await denySite();
    const fields = [...DENY_SCHEMA.fields, {name: 'n', type}];
    const row = (n: string) => `{"url":"https://a${n.length}.example/","class":"dead","n":${n}}\n`;
    await site.freeze({
      source: 'deny-list',
      format: 'ndjson',
      files: {'deny-list.ndjson': row('1') + row('1e400')},
      schema: {...DENY_SCHEMA, fields},
    });
    const {stdout} = await run('--root', site.root, '--json');
    const {errors} = JSON.parse(stdout) as {errors: {fix: string}[]};
    assert.deepEqual(
      errors.map(({fix}) => fix),
      ['To keep it, save all values of the column as text, and freeze with --new-schema.'],
    );
  });

test('an empty value that is not missing has a remedy, depending on whether its column is required', async () => {
  await using site = await denySite();
  const fields = [
    ...DENY_SCHEMA.fields,
    {name: 'n', type: 'integer'},
    {name: 'd', type: 'date', constraints: {required: true}},
  ];
  await site.freeze({
    source: 'deny-list',
    files: {'deny-list.csv': 'url,class,n,d\nhttps://a.example/,dead,,\n'},
    schema: {...DENY_SCHEMA, fields, missingValues: ['NA']},
  });
  const {stdout} = await run('--root', site.root, '--json');
  const {errors} = JSON.parse(stdout) as {errors: {message: string; fix: string}[]};
  const rule = 'and "missingValues" does not contain it.';
  const optional =
    'Freeze the list with --missing \'\', add "" to "missingValues" in `datapackage.json` if the freeze is not published,';
  const orText = 'or make the column text with frozen freeze … --new-schema.';
  assert.deepEqual(
    errors.map(({message, fix}) => [message, fix]),
    [
      [`n "" is not an integer, ${rule}`, `${optional} ${orText}`],
      [`d "" is not a date, ${rule}`, `Freeze the list with --missing '' --new-schema, ${orText}`],
    ],
  );
});

test('the remedy for an empty file of a frozen list has no option of freeze', async () => {
  await using site = await denySite();
  const files = {'a.csv': 'url,class\nhttps://a.example/,dead\n', 'b.csv': ''};
  await site.freeze({source: 'deny-list', files, schema: DENY_SCHEMA});
  const {stdout} = await run('--root', site.root, '--json');
  const {errors} = JSON.parse(stdout) as {errors: {fix: string}[]};
  assert.deepEqual(
    errors.map(({fix}) => fix),
    ['Restore the file, write the header into it, or freeze the list without this file.'],
  );
});

test('a user without a home folder, or with an invalid cache folder, can build', async () => {
  await using site = await denySite();
  for (const cache of ['relative', '/dev/null']) {
    const {code, err} = await runIn(site.root, ['build'], {XDG_CACHE_HOME: cache});
    assert.deepEqual([code, err], [0, '']);
  }
  const NO_HOME = "import os from 'node:os'; os.homedir = () => { throw new Error('no home'); };";
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(NO_HOME)}`];
  const env = {...process.env, XDG_CACHE_HOME: undefined};
  const ran = spawnSync(process.execPath, [...flags, FROZEN, 'build'], {cwd: site.root, encoding: 'utf8', env});
  assert.deepEqual([ran.status, ran.stderr], [0, '']);
  assert.deepEqual((await readdir(site.root)).sort(), ['data', 'paywall', 'public']);
});
