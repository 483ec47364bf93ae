import {spawnSync} from 'node:child_process';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {copiesOf} from '../build/site-copies.ts';
import {DENY_SCHEMA, denySite, type SiteFixture} from '../build/site-fixture.ts';
import {runScript} from './script-run.ts';

/** Removes the variables of a repository around the tests, and reads no configuration of the machine. */
const NO_GIT: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter(name => name.startsWith('GIT_'))
      .map(name => [name, undefined]),
  ),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Publisher',
  GIT_AUTHOR_EMAIL: 'publisher@test.example',
  GIT_COMMITTER_NAME: 'Publisher',
  GIT_COMMITTER_EMAIL: 'publisher@test.example',
};

/** Runs git in a folder. Throws if it fails. */
export function git(cwd: string, ...args: string[]): string {
  const {status, stdout, stderr} = spawnSync('git', args, {cwd, env: {...process.env, ...NO_GIT}, encoding: 'utf8'});
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Runs the review in this process. */
export async function runReview(root: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const ran = await runScript('review', ['--root', root, ...args], {...NO_GIT, FORCE_COLOR: undefined, ...env});
  return {status: ran.code, stdout: ran.out, stderr: ran.err};
}

/** The JSON output of a review. */
export interface Said {
  readonly ok: boolean;
  readonly findings: readonly {readonly severity: string; readonly code: string; readonly says: string}[];
  readonly products: readonly Readonly<Record<string, unknown>>[];
}

/** Runs the review with `--json`, and returns its output and exit code. Throws if it prints an error. */
export async function reviewJson(root: string, ...args: string[]): Promise<Said & {status: number | null}> {
  const {status, stdout, stderr} = await runReview(root, ['--json', ...args]);
  if (stderr !== '') throw new Error(stderr);
  return {...(JSON.parse(stdout) as Said), status};
}

/** Returns the codes of the findings of a review, such as `broken figures-changed`. */
export function codes({findings}: Said): string[] {
  return findings.map(({severity, code}) => `${severity} ${code}`);
}

/** A site that sells Soft Fail 3 over four rows, built and committed. */
export const committedSite = copiesOf(async () => {
  const site = await denySite();
  git(site.root, 'init', '--quiet', '--initial-branch=main');
  await buildIn(site);
  commit(site.root);
  return site;
});

export function commit(root: string): void {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message=state');
}

/** Builds. Throws if that fails. */
export async function buildIn(site: SiteFixture): Promise<void> {
  const {code, err} = await site.build();
  if (code !== 0) throw new Error(err);
}

/** Freezes rows of the deny list, `a.example soft_fail`, and builds. */
export async function freezeDeny(
  site: SiteFixture,
  date: string,
  rows: readonly string[],
  schema: object = DENY_SCHEMA,
) {
  const lines = rows.map(row => `https://${row.replace(' ', '/,')}`);
  await site.freeze({source: 'deny-list', date, files: {'deny-list.csv': `url,class\n${lines.join('\n')}\n`}, schema});
  await buildIn(site);
}

/** Edits a generated JSON file. */
export async function edit(
  root: string,
  path: string,
  change: (value: Record<string, unknown>) => void,
): Promise<void> {
  const value = JSON.parse(await readFile(join(root, path), 'utf8')) as Record<string, unknown>;
  change(value);
  await mkdir(dirname(join(root, path)), {recursive: true});
  await writeFile(join(root, path), `${JSON.stringify(value, null, 2)}\n`);
}
