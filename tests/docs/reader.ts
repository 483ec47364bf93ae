import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import type {Code} from 'mdast';
import {copiesOf} from '../build/site-copies.ts';
import tool from '../../package.json' with {type: 'json'};
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {siteIn, type SiteFixture} from '../build/site-fixture.ts';
import {EXAMPLE} from '../example/example.ts';
import {PROJECT} from '../project.ts';
import {frozenCommand} from '../scripts/frozen-command.ts';
import {fillLedger} from '../sales/filled-ledger.ts';
import {gateProcess, started, type ServerProcess} from '../scripts/gate-process.ts';
import {runIn} from '../scripts/script-run.ts';
import {taskOf} from './page.ts';

/** The address of the site in the pages. */
const ADDRESS = 'https://snapshots.example';
const PAY_TO = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';

/** Follows the blocks of a page like a new user who has the tool and no network. */
export class Reader implements AsyncDisposable {
  readonly #folder: string;
  #site: string | undefined;
  #clone: string | undefined;
  #gate: ServerProcess | undefined;
  #command: AsyncDisposable | undefined;
  #ledger: Promise<void> | undefined;
  readonly #madeSite: () => Promise<SiteFixture>;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, madeSite: () => Promise<SiteFixture>) {
    this.#folder = folder;
    this.#madeSite = madeSite;
    this.#env = {...ENVIRONMENT, HOME: folder};
  }

  /** @param page the page that is followed. The quick start has a site that `frozen init` made, the others the example. */
  static async start(page = ''): Promise<Reader> {
    const madeSite = page === 'docs/quick-start.md' ? newSite : committedSite;
    return new Reader(await mkdtemp(join(tmpdir(), 'docs-')), madeSite);
  }

  /** Carries out a block. Throws if the result differs from the page. */
  async follow(block: Code): Promise<void> {
    const task = taskOf(block);
    if (task.kind === 'none' || task.kind === 'elsewhere') return;
    if (task.kind === 'show') return this.#show(block.value);
    if (task.kind === 'write') return writeFile(join(await this.site(), task.path), `${block.value}\n`);
    if (task.kind === 'compare') return isSame(block.value, join(await this.site(), task.path));
    const folder = task.where === 'site' ? await this.site() : await this.clone();
    if (task.hasSold) await (this.#ledger ??= ledgerIn(folder));
    if (task.isServer) return serves(block.value, folder, this.#env);
    answersAs(block.value, await this.#run(block.value, folder));
  }

  /** A site like one of `frozen init`: an npm project with the tool, in a git repository with a remote. */
  async site(): Promise<string> {
    if (this.#site !== undefined) return this.#site;
    const site = join(this.#folder, 'my-site');
    const {root} = await this.#madeSite();
    await rename(root, site);
    const bin = join(site, 'node_modules/.bin');
    await mkdir(bin, {recursive: true});
    // Starts the command of a package directly, because npx takes half a second.
    await writeFile(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n', {mode: 0o755});
    this.#command = await frozenCommand(join(bin, 'frozen'));
    const origin = join(this.#folder, 'origin.git');
    git(this.#folder, 'init', '--quiet', '--bare', origin);
    git(site, 'remote', 'add', 'origin', origin);
    return (this.#site = site);
  }

  /** A clone of this repository with its packages installed. */
  async clone(): Promise<string> {
    if (this.#clone !== undefined) return this.#clone;
    const clone = join(this.#folder, 'frozen-snapshots');
    const without = ['.git', '.build', 'dist', 'node_modules', 'tests'];
    for (const name of await readdir(PROJECT))
      if (!without.includes(name)) await cp(join(PROJECT, name), join(clone, name), {recursive: true});
    await symlink(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
    git(clone, 'init', '--quiet');
    return (this.#clone = clone);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gate?.[Symbol.asyncDispose]();
    await this.#command?.[Symbol.asyncDispose]();
    await rm(this.#folder, {recursive: true, force: true});
  }

  async #show(transcript: string): Promise<void> {
    for (const part of transcript.split(/^\$ /m).slice(1)) {
      const [command = '', ...shown] = part.trimEnd().split('\n');
      const written = await this.#run(command, await this.site());
      assert.match(`${written.replace(/ +$/gm, '').trim()}\n`, matching(shown), command);
    }
  }

  /** Runs commands and returns their standard output. Throws if one of them fails. */
  async #run(commands: string, cwd: string): Promise<string> {
    if (commands.includes(ADDRESS)) this.#gate ??= await gateProcess(await this.site());
    const here = commands.replaceAll(ADDRESS, this.#gate?.url ?? ADDRESS);
    const child = spawn('bash', ['-e', '-c', here], {cwd, env: this.#env, stdio: ['ignore', 'pipe', 'pipe']});
    const ended = once(child, 'close');
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await ended) as [number | null];
    assert.equal(code, 0, `${commands}\n${out}${err}`);
    return out;
  }
}

const committedSite = copiesOf(async () => {
  const root = await mkdtemp(join(tmpdir(), 'docs-site-'));
  await cp(EXAMPLE, root, {recursive: true});
  await writeFile(join(root, 'package.json'), '{"private": true}\n');
  await writeFile(join(root, '.gitignore'), 'node_modules/\n/.build/\n/.wrangler/\n/ledger/\n');
  git(root, 'init', '--quiet', '--initial-branch', 'main');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', 'First snapshot');
  return siteIn(root);
});

/** A site of `frozen init`, with the tool that its reader has. */
async function newSite(): Promise<SiteFixture> {
  const root = await mkdtemp(join(tmpdir(), 'docs-site-'));
  const {code, err} = await runIn(root, ['init', '.', '--pay-to', PAY_TO, '--tool', tool.version]);
  assert.equal(code, 0, err);
  return siteIn(root);
}

/** Makes the ledger of a gate that has sold documents. */
async function ledgerIn(site: string): Promise<void> {
  const ledger = await openLedger(site);
  await fillLedger(ledger);
  await ledger.close();
}

/** Without the variables of `npm test`, which npm would read as settings. Nothing is installed. */
const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD|NODE_TEST)/.test(name))),
  PATH: `node_modules/.bin:${process.env['PATH'] ?? ''}`,
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
  PORT: '0',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A Stranger',
  GIT_AUTHOR_EMAIL: 'stranger@test.example',
  GIT_COMMITTER_NAME: 'A Stranger',
  GIT_COMMITTER_EMAIL: 'stranger@test.example',
};

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', args, {cwd, env: ENVIRONMENT});
}

async function isSame(shown: string, file: string): Promise<void> {
  assert.deepEqual(JSON.parse(shown), JSON.parse(await readFile(file, 'utf8')));
}

/** Starts a server in a separate process group, because npm does not forward signals, and stops it when it answers. */
async function serves(commands: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('bash', ['-e', '-c', commands], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  try {
    const {url} = await started(child);
    assert.equal((await fetch(url)).status, 200);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  }
}

/** Compares HTTP statuses with the comments after `curl` commands that start with a status. */
function answersAs(commands: string, written: string): void {
  const said = [...commands.matchAll(/^curl .*# (\d{3})\b/gm)].map(([, status]) => status);
  const got = [...written.matchAll(/HTTP\/[\d.]+ (\d{3})/g)].map(([, status]) => status);
  if (said.length > 0) assert.deepEqual(got, said);
}

/**
 * A pattern for expected output: `…` matches any text, or any lines if it is the only text of a line. Seconds may
 * differ.
 */
function matching(shown: readonly string[]): RegExp {
  const lines = shown.map(line =>
    line === '…'
      ? '(?:.*\\n)*?'
      : `${line
          .trimEnd()
          .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
          .replaceAll('…', '.*')
          .replace(/\d+\\\.\d+ s$/, '\\d+\\.\\d+ s')}\\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}
