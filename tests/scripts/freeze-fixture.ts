import {spawn} from 'node:child_process';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {emptySite, type SiteFixture} from '../build/site-fixture.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {runScript, type Ran} from './script-run.ts';

/** A site, and lists in a separate folder next to it. */
export interface FreezeFixture extends AsyncDisposable {
  readonly site: SiteFixture;
  readonly lists: string;
  /** Writes a list and returns its path. */
  list(name: string, content: string | Uint8Array): Promise<string>;
  /** Runs `freeze`. */
  freeze(...args: string[]): Promise<Ran>;
  /** Reads the descriptor of a freeze. */
  descriptor(source: string, date: string): Promise<Descriptor>;
}

export interface Descriptor {
  readonly title?: string;
  readonly created: string;
  readonly as_of: string;
  readonly licenses?: readonly object[];
  readonly sources?: readonly object[];
  readonly resources: readonly [
    {
      readonly path: string | readonly string[];
      readonly format: string;
      readonly bytes: number;
      readonly hash: string;
      readonly rows: number;
      readonly dialect?: object;
      readonly schema?: {readonly fields: readonly Column[]; readonly primaryKey?: readonly string[]};
    },
  ];
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly constraints?: {
    readonly required?: boolean;
    readonly pattern?: string;
    readonly enum?: readonly string[];
  };
}

export async function freezeFixture(): Promise<FreezeFixture> {
  const site = await emptySite();
  const lists = await mkdtemp(join(tmpdir(), 'freeze-lists-'));
  return {
    site,
    lists,
    async list(name, content) {
      const path = join(lists, name);
      await mkdir(dirname(path), {recursive: true});
      await writeFile(path, content);
      return path;
    },
    freeze: (...args) => runFreeze([...args, '--root', site.root]),
    async descriptor(source, date) {
      const path = join(site.root, 'data/sources', source, date, 'datapackage.json');
      return JSON.parse(await readFile(path, 'utf8')) as Descriptor;
    },
    async [Symbol.asyncDispose]() {
      await rm(lists, {recursive: true, force: true});
      await site[Symbol.asyncDispose]();
    },
  };
}

/** Runs the command in a separate process, in the project's folder. */
export function startFreeze(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [FROZEN, 'freeze', ...args], {
    cwd: PROJECT,
    env: {...process.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs `freeze` in this process. */
export function runFreeze(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return runScript('freeze', args, env);
}
