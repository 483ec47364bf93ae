import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import glob from 'fast-glob';
import {parse} from 'yaml';
import tool from '../../package.json' with {type: 'json'};
import {writeSite} from '../../scripts/init/write-site.ts';
import {InputError} from '../../shared/fault.ts';
import {readJson, readOutput, readTree} from '../build/tree.ts';
import {frozenCommand} from './frozen-command.ts';
import {runIn} from './script-run.ts';
import {answering, noTerminal} from './terminal.ts';

const PAY_TO = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';

/** A folder outside a repository. `await using` removes it. */
async function emptyFolder() {
  const path = await mkdtemp(join(tmpdir(), 'frozen init '));
  return {path, [Symbol.asyncDispose]: () => rm(path, {recursive: true, force: true})};
}

/** Runs `frozen` from a folder. */
async function frozen(cwd: string, ...args: string[]) {
  const {code: status, out, err} = await runIn(cwd, args);
  return {status, out, err};
}

/** Makes a site in a folder, with the version of the tool as a dependency by default, and returns its path. */
async function made(folder: string, name = 'my-site', ...args: string[]): Promise<string> {
  const version = args.includes('--tool') ? [] : ['--tool', tool.version];
  const {status, err} = await frozen(folder, 'init', name, '--pay-to', PAY_TO, ...version, ...args);
  assert.deepEqual([status, err], [0, '']);
  return join(folder, name);
}

test('a new site can be built and verified, with the same bytes in another folder', async () => {
  await using folder = await emptyFolder();
  const options = ['--title', 'Feeds', '--base-url', 'https://feeds.example'];
  const sites = [await made(folder.path, 'one', ...options), await made(folder.path, 'Zwei Ä', ...options)] as const;
  for (const site of sites) {
    assert.equal((await frozen(site, 'build')).status, 0);
    assert.equal((await frozen(site, 'build', '--check')).status, 0);
    const {status, out} = await frozen(site, 'verify', 'site', '--data', 'data');
    assert.equal(status, 0, out);
  }
  const [one, two] = await Promise.all(sites.map(readOutput));
  assert.notEqual(Object.keys(one ?? {}).length, 0);
  assert.deepEqual(one, two);
});

test('package, title and address have the name of the folder', async () => {
  await using folder = await emptyFolder();
  const names: readonly (readonly [folder: string, name: string, title: string])[] = [
    ['my-site', 'my-site', 'My Site'],
    ['Feeds of today', 'feeds-of-today', 'Feeds Of Today'],
    ['Списки 2026', 'spiski-2026', 'Списки 2026'],
    ['🧊', 'site', '🧊'],
  ];
  for (const [name, packageName, title] of names) {
    const site = await made(folder.path, name);
    const {name: called, private: isPrivate, type} = await readJson(site, 'package.json');
    assert.deepEqual([called, isPrivate, type], [packageName, true, 'module']);
    assert.deepEqual(await readJson(site, 'data/site.json'), {
      title,
      description: 'Dated documents about lists that change, each with a free sample.',
      base_url: `https://${packageName}.example`,
      payment: {
        accepts: [{network: 'eip155:84532', pay_to: PAY_TO}],
        facilitator_url: 'https://x402.org/facilitator',
      },
    });
    if (name === '🧊') assert.equal((await frozen(site, 'build')).status, 0);
  }
});

test('--tool names the tool, with paths relative to the current folder', async () => {
  await using folder = await emptyFolder();
  await writeFile(join(folder.path, 'tool.tgz'), '');
  const specs = [
    ['tool.tgz', 'file:../tool.tgz'],
    ['./tool.tgz', 'file:../tool.tgz'],
    ['file:tool.tgz', 'file:../tool.tgz'],
    ['^1.2.3', '^1.2.3'],
    ['https://tools.example/tool.tgz', 'https://tools.example/tool.tgz'],
  ] as const;
  for (const [at, [spec, installed]] of specs.entries()) {
    const site = await made(folder.path, `site-${at}`, '--tool', spec);
    assert.deepEqual((await readJson(site, 'package.json'))['devDependencies'], {[tool.name]: installed}, spec);
  }
  for (const spec of ['../none', 'none.tgz', 'file:none']) {
    const {status, err} = await frozen(folder.path, 'init', 'wrong', '--pay-to', PAY_TO, '--tool', spec);
    assert.equal(err, `--tool "${spec}" is not an existing file or folder\n`);
    assert.equal(status, 2);
  }
});

test('without a terminal a site needs a payee, and an invalid value is refused', async () => {
  await using folder = await emptyFolder();
  const wrong: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [[], /^--pay-to is missing$/m],
    [['--pay-to', ''], /^--pay-to "" is empty$/],
    [['--pay-to', '0x12'], /^--pay-to "0x12" is not an EVM address: 0x and 40 hexadecimal digits$/],
    [['--pay-to', PAY_TO.replace('C2', 'c2')], /65c2" has upper and lower case that are not its checksum/],
    [['--pay-to', `0x${'0'.repeat(40)}`], / is an address without an owner: money paid on eip155:8453 would be lost$/],
    [['--pay-to', `0x${'0'.repeat(36)}dEaD`], / is an address without an owner/],
    [
      ['--pay-to', PAY_TO, '--base-url', 'https://a.example/b'],
      /^--base-url ".* such as https:\/\/snapshots\.example: no path, no slash at the end$/,
    ],
    [['--pay-to', PAY_TO, '--title', 'two\nlines'], /^--title "two\\nlines" is not one line of 1 to 200 characters/],
  ];
  for (const [args, says] of wrong) {
    const {status, out, err} = await frozen(folder.path, 'init', 'my-site', ...args);
    assert.match(err.trimEnd(), says);
    assert.deepEqual([status, out], [2, '']);
  }
  assert.deepEqual(await readdir(folder.path), []);
});

test('a folder that is not empty, and a path that is not a folder, are refused and not changed', async () => {
  await using folder = await emptyFolder();
  await mkdir(join(folder.path, 'full'));
  await writeFile(join(folder.path, 'full/.hidden'), 'mine');
  await writeFile(join(folder.path, 'file'), 'mine');
  const before = await readTree(folder.path);
  const refused = [
    ['full', 'full is not empty: it contains .hidden\n'],
    ['file', 'file is not a folder\n'],
    ['file/below', 'file/below is not a folder\n'],
    ['n'.repeat(300), `${'n'.repeat(300)} cannot be read (ENAMETOOLONG)\n`],
  ] as const;
  for (const [name, says] of refused) {
    const {status, out, err} = await frozen(folder.path, 'init', name, '--pay-to', PAY_TO);
    assert.deepEqual([status, out, err], [1, '', says]);
  }
  assert.deepEqual(await readTree(folder.path), before);
});

test(
  'nothing is created below a folder of the kernel, although Node would try forever',
  {skip: !existsSync('/proc')},
  async () => {
    const {status, err} = await frozen('/', 'init', '/proc/my-site', '--pay-to', PAY_TO, '--tool', tool.version);
    assert.deepEqual([status, err], [1, 'proc/my-site cannot be written (ENOENT)\n']);
  },
);

test('an incomplete site is removed, and earlier files are kept', async () => {
  await using folder = await emptyFolder();
  const refusedFiles = new Map([
    ['README.md', 'text'],
    ['data/site.json', 'text'],
    ['README.md/below', 'text'],
  ]);
  for (const name of ['new/deep', 'empty']) {
    const site = join(folder.path, name);
    if (name === 'empty') await mkdir(site);
    await assert.rejects(writeSite(site, refusedFiles), InputError);
  }
  assert.deepEqual(await readdir(folder.path, {recursive: true}), ['empty']);
  await writeFile(join(folder.path, 'empty/data'), 'mine');
  await assert.rejects(writeSite(join(folder.path, 'empty'), refusedFiles), InputError);
  assert.deepEqual(await readTree(folder.path), {'empty/data': 'mine'});
});

test('a repository is created if there is none, and a clone without a commit is used', async () => {
  await using folder = await emptyFolder();
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, {cwd, encoding: 'utf8'}).trim();
  const site = await made(folder.path);
  assert.equal(git(site, 'symbolic-ref', '--short', 'HEAD'), 'main');
  assert.throws(() => git(site, 'rev-parse', '--verify', '--quiet', 'HEAD'));
  const tooled = ['--pay-to', PAY_TO, '--tool', tool.version];
  const hooked = await runIn(folder.path, ['init', 'hooked', ...tooled], {GIT_DIR: join(folder.path, 'elsewhere')});
  assert.deepEqual([hooked.code, existsSync(join(folder.path, 'hooked/.git'))], [0, true]);
  const inner = await made(site, 'inner');
  assert.equal(existsSync(join(inner, '.git')), false);
  git(folder.path, 'init', '--quiet', 'cloned');
  const {status, out} = await frozen(join(folder.path, 'cloned'), 'init', '.', ...tooled, '--json');
  assert.equal(status, 0);
  const report = JSON.parse(out) as {folder: string; files: string[]; repository: string; next: string[]};
  assert.deepEqual([report.repository, report.next[0]], ['there', 'npm install']);
  const written = await glob('**', {cwd: report.folder, dot: true, ignore: ['.git']});
  assert.deepEqual(report.files.toSorted(), written.toSorted());
});

test('on a terminal it asks for missing options until the answers are valid', {skip: noTerminal}, async () => {
  await using folder = await emptyFolder();
  const {status, shown, unasked} = await answering(
    ['init', 'asked', '--title', 'Given', '--tool', tool.version],
    folder.path,
    [
      ['What it offers', 'Feeds, frozen.\r'],
      ['Address of the site', 'https://feeds.test/\r'],
      ['no slash at the end', ' https://feeds.test \r'],
      ['Address of your wallet', '\r'],
      ['is not an EVM address', `${PAY_TO.toUpperCase().replace('X', 'x')}\r`],
      ['not its checksum', `${PAY_TO}\r`],
    ],
  );
  assert.deepEqual([status, unasked], [0, []], shown);
  const {title, description, base_url} = await readJson(join(folder.path, 'asked'), 'data/site.json');
  assert.deepEqual([title, description, base_url], ['Given', 'Feeds, frozen.', 'https://feeds.test']);

  const broken = await answering(['init', 'broken-off'], folder.path, [
    ['Title of the site [Broken Off]', '\r'],
    ['What it offers', '\r'],
    ['https://broken-off.example', '\u0003'],
  ]);
  assert.deepEqual([broken.status, broken.unasked], [1, []], broken.shown);
  assert.match(broken.shown, /init was cancelled: nothing was written/);
  assert.deepEqual(await readdir(folder.path), ['asked']);
});

/** A committed site in which `npm run` and `npx` find the tool, and `gh` records its arguments. */
async function installedSite(folder: string) {
  const site = await made(folder);
  const bin = join(site, 'node_modules/.bin');
  await mkdir(bin, {recursive: true});
  const command = await frozenCommand(join(bin, 'frozen'));
  const stubs = join(folder, 'stubs');
  await mkdir(stubs);
  await writeFile(join(stubs, 'gh'), `#!/bin/sh\necho "$*" >> '${folder}/calls'\n`);
  await chmod(join(stubs, 'gh'), 0o755);
  const config = join(folder, 'gitconfig');
  await writeFile(config, '[user]\nname = Publisher\nemail = publisher@test.example\n');
  const env = {
    ...process.env,
    PATH: [stubs, process.env['PATH']].join(delimiter),
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const ok = async (script: string, more: NodeJS.ProcessEnv = {}) => {
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: site,
      env: {...env, ...more},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.equal((await ended)[0], 0, `${script}\n${out}${err}`);
    return out;
  };
  return {site, env, ok, [Symbol.asyncDispose]: () => command[Symbol.asyncDispose]()};
}

/** Commands in the README that are not run: the first needs a registry, the others have separate tests or never end. */
const NOT_RUN = ['npm install', 'npm run dev', 'npm start'];

test('the commands of its README run, one after the other', async () => {
  await using folder = await emptyFolder();
  await using installed = await installedSite(folder.path);
  const {site, ok, env} = installed;
  const readme = await readFile(join(site, 'README.md'), 'utf8');
  const lines = [...readme.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  const commands = lines.map(line => line.replace(/ +#.*/, '').trim());
  assert.deepEqual(
    NOT_RUN.filter(command => !commands.includes(command)),
    [],
  );
  const list = (await readFile(join(site, 'data/sources/example-list/2026-05-01/example-list.csv'), 'utf8')).trim();
  await writeFile(join(site, 'my-list.csv'), `${list}\nhttps://mine.example/,mine,silent,2026-01-01\n`);
  for (const command of commands.filter(command => !NOT_RUN.includes(command))) {
    await ok(command);
    if (!command.startsWith('cp ')) continue;
    const product = await readJson(site, 'data/products/my-product.json');
    const mine = {...product, title: 'Mine', source: 'my-list', difference: 'lists mine'};
    await writeFile(join(site, 'data/products/my-product.json'), JSON.stringify(mine));
  }
  assert.deepEqual(Object.keys(await readJson(site, 'public/api/v1/samples/mine.json')).includes('rows_n'), true);
  await ok('npm run freeze -- --help');

  const gate = spawn('npm', ['--silent', 'start'], {
    cwd: site,
    env: {...env, PORT: '0'},
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const exited = once(gate, 'exit');
  for await (const line of createInterface({input: gate.stderr})) {
    const [, url] = /^Listening on (.+)$/.exec(line) ?? [];
    if (url === undefined) continue; // a facilitator that cannot be reached
    assert.equal((await fetch(`${url}/api/v1/mine`)).status, 402);
    break;
  }
  process.kill(-(gate.pid ?? assert.fail()), 'SIGINT');
  await exited;
});

/** Builds, commits and pushes a site to a repository next to it. */
const PUBLISH = `git init --quiet --bare ../origin && git remote add origin "$(cd ../origin && pwd)"
npm run build && git add --all && git commit --quiet --message First && git push --quiet origin main`;

interface Workflow {
  readonly env?: NodeJS.ProcessEnv;
  readonly jobs: Readonly<Record<string, {permissions: object; steps: readonly {run?: string}[]}>>;
}

async function workflow(site: string, name: string): Promise<Workflow> {
  return parse(await readFile(join(site, `.github/workflows/${name}.yml`), 'utf8')) as Workflow;
}

const scriptOf = ({jobs}: Workflow, job: string) => jobs[job]?.steps.at(-1)?.run ?? assert.fail(job);

test('the deployment is a dry run until the repository enables it, and the weekly workflow proposes a freeze, with the review as its text, and the job with write access does not run the tool', async () => {
  await using folder = await emptyFolder();
  await using installed = await installedSite(folder.path);
  const {site, ok} = installed;
  await ok(PUBLISH);
  const script = scriptOf(await workflow(site, 'deploy'), 'deploy');
  assert.match(await ok(script, {DEPLOY: ''}), /Nothing was deployed: add --yes to deploy\./);
  assert.doesNotMatch(await ok('git ls-remote origin'), /gh-pages/);
  await ok(script, {DEPLOY: 'yes'});
  assert.match(await ok('git ls-remote origin'), /gh-pages/);
  assert.doesNotMatch(
    await ok('git fetch --quiet origin gh-pages && git ls-tree -r --name-only FETCH_HEAD'),
    /v1\/examplesilentfeeds$/m,
  );

  await rm(join(folder.path, 'calls'));
  const weekly = await workflow(site, 'freeze');
  const {freeze, propose} = weekly.jobs;
  assert.deepEqual(freeze?.permissions, {contents: 'read'});
  assert.doesNotMatch(JSON.stringify(propose?.steps), /npm|npx|node/);
  assert.equal(weekly.env?.['LIST_URL'], '');

  const list = join(folder.path, 'list.csv');
  const known = await readFile(join(site, 'data/sources/example-list/2026-05-01/example-list.csv'), 'utf8');
  await writeFile(list, known.replace('live', 'silent'));
  const env = {
    LIST_URL: list,
    SOURCE: 'example-list',
    GITHUB_OUTPUT: join(folder.path, 'output'),
    GITHUB_STEP_SUMMARY: join(folder.path, 'summary'),
    GITHUB_RUN_NUMBER: '7',
  };
  await ok(freeze.steps.find(({run}) => run?.includes('npm run freeze'))?.run ?? '', env);
  assert.equal(await readFile(env.GITHUB_OUTPUT, 'utf8'), 'frozen=true\n');
  assert.match(await readFile(env.GITHUB_STEP_SUMMARY, 'utf8'), /silent\\?_n/);

  // The other job has a separate checkout, and the files that the first one passes on.
  await ok('git reset --quiet --hard && git clean --quiet -d --force -e freeze.patch -e review.md -e node_modules');
  await ok(scriptOf(weekly, 'propose'), env);
  assert.match(
    await readFile(join(folder.path, 'calls'), 'utf8'),
    /^pr create .*--body-file review\.md --head freeze-[\d-]+-7\n$/,
  );
  assert.equal((await ok('git status --porcelain')).replaceAll(/^\?\? (freeze\.patch|review\.md)\n/gm, ''), '');
  await ok('npm run build -- --check');
  assert.match(await ok('git ls-remote origin'), /refs\/heads\/freeze-/);
});
