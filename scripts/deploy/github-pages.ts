import {rmSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, isAbsolute, join, resolve} from 'node:path';
import glob from 'fast-glob';
import {onExit} from 'signal-exit';
import {leavesOut} from '../../build/hosts/github-pages.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {paths} from '../../shared/paths.ts';
import {deployables, formerPaths, refuseOtherSite, unlistedNote, type Deployable} from './files.ts';
import {findGit, gitSays, OF_A_HOOK, repositoryError, type Git} from '../programs/git.ts';
import type {Deployment} from './plan.ts';
import {refuseInvalid, type Ready} from './preflight.ts';

export interface Branch {
  readonly address: string;
  readonly branch: string;
  /** The `base_url` of another site that this one replaces. */
  readonly replaces?: string | undefined;
}

/** GitHub Pages sends this header with every file, and it cannot be changed. */
const CACHE_CONTROL = 'max-age=600';
/** Without this file, GitHub omits files whose names start with "_". */
const NO_JEKYLL = '.nojekyll';

/**
 * Deploys the free documents to a branch for GitHub Pages, which cannot require payment, so paid documents are omitted. Pushes one commit,
 * so visitors see the old state or the new one. Other files on the branch, such as `CNAME`, are kept.
 */
export async function toGithubPages(root: string, {site, willSign}: Ready, to: Branch): Promise<Deployment> {
  const all = await deployables(root, site);
  const isFree = ({path, paid}: Deployable) => !paid && !leavesOut(path, site.rules.rules);
  const free = all.filter(isFree).map(file => ({...file, cacheControl: CACHE_CONTROL}));
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  // Also after Ctrl-C: the configuration of git in it has the address of the remote, which may contain a password.
  onExit(() => {
    removeFolder(folder);
  });
  const project = await findGit(root);
  const git = await findGit(folder, {...OF_A_HOOK, ...(await connectionSettings(project))});
  await checkOut(git, folder, to);
  await refuseInTheWay(git, free, to.branch);
  const former = await readFile(join(folder, paths.catalogue), 'utf8').catch(() => '');
  refuseOtherSite(former, site.catalogue.base_url, `The branch ${to.branch}`, to.replaces);
  await fill(folder, free, former);
  // Verifies that the branch has all free documents, and no paid ones.
  await refuseInvalid(folder, willSign, {freeOnly: true});
  await git.run('add', '--all', '--force');
  const changes = await staged(git);
  const uploads = (['added', 'changed'] as const).flatMap(change =>
    free.filter(({path}) => changes.get(path) === change).map(file => ({change, file})),
  );
  return {
    plan: {
      to: `${to.branch} of ${shownAddress(to.address)}`,
      uploads,
      deletes: [...changes].flatMap(([path, change]) => (change === 'deleted' ? [path] : [])),
      invalidations: [],
      unchanged: free.map(({path}) => path).filter(path => !changes.has(path)),
      leftOut: all.filter(file => !isFree(file)).map(({path}) => path),
      notes: [
        `GitHub Pages cannot ask for payment: paid documents are left out, and sold only at ${site.rules.base_url}`,
        ...(await unlistedNote(root, all, 'left out')),
      ],
    },
    wasDeployed: former !== '',
    async carryOut(report) {
      for (const key of ['user.name', 'user.email']) {
        const value = await project.ask('config', key);
        if (value !== undefined) await git.run('config', key, value);
      }
      await git.run('commit', '--quiet', '--message', `Deploy ${site.rules.title}`);
      const pushed = await git.answer('push', '--quiet', 'origin', `HEAD:refs/heads/${to.branch}`);
      if (!pushed.ok) {
        const isOutrun = pushed.err.includes('[rejected]');
        const rule = isOutrun ? 'changed while this deployment was prepared' : `cannot be pushed: ${gitSays(pushed)}`;
        const fix = isOutrun ? 'Run the command again.' : undefined;
        throw new InputError({code: 'FZ407', subject: `The branch ${to.branch}`, rule, fix});
      }
      report(`pushed ${to.branch}`);
    },
  };
}

/** Removes a folder. Git may still write into it, so Node.js can find files in a folder that was empty. */
function removeFolder(folder: string, tries = 5): void {
  try {
    rmSync(folder, {recursive: true, force: true, maxRetries: 2, retryDelay: 20});
  } catch (error) {
    if (tries === 1) throw error;
    removeFolder(folder, tries - 1);
  }
}

/**
 * Returns the settings in the site's repository that git needs to connect, as variables. `actions/checkout`, for example, stores its token
 * there.
 */
async function connectionSettings(project: Git): Promise<NodeJS.ProcessEnv> {
  const ssh = process.env['GIT_SSH_COMMAND'] ?? (await project.ask('config', 'core.sshCommand'));
  const list = await project.ask('config', '--local', '--includes', '--null', '--get-regexp', '^(http|credential)\\.');
  const settings = list?.split('\0').filter(Boolean) ?? [];
  const before = Number(process.env['GIT_CONFIG_COUNT'] ?? 0);
  const variables: NodeJS.ProcessEnv = {GIT_CONFIG_COUNT: String(before + settings.length)};
  for (const [index, setting] of settings.entries()) {
    const [key, value = 'true'] = setting.split(/\n(.*)/s);
    variables[`GIT_CONFIG_KEY_${before + index}`] = key;
    variables[`GIT_CONFIG_VALUE_${before + index}`] = value;
  }
  return {...variables, ...(ssh !== undefined && {GIT_SSH_COMMAND: ssh})};
}

/** Returns the address of a remote by its name in the site's repository, or the given address or folder. */
export async function addressOf(root: string, remote: string): Promise<string> {
  const git = await findGit(root);
  const known = await git.answer('remote', 'get-url', '--push', remote);
  const isAddress = (text: string) => /^[^/]+:/.test(text) || isAbsolute(text);
  if (known.ok) {
    const address = known.out.trim();
    return isAddress(address) ? address : resolve((await git.run('rev-parse', '--show-toplevel')).trim(), address);
  }
  if (/[/:\\]/.test(remote)) return isAddress(remote) ? remote : resolve(root, remote);
  if (!known.err.includes('No such remote')) throw repositoryError(root, known);
  const fix = 'Name a remote, or its address, with --remote.';
  const rule = 'is not a remote of this repository';
  throw new InputError({code: 'FZ407', field: '--remote', value: remote, rule, fix});
}

/** Checks out the branch, or creates an empty one if it does not exist on the remote. */
async function checkOut(git: Git, folder: string, {address, branch}: Branch): Promise<void> {
  // GitHub supports only SHA-1, which may not be the default of this git.
  await git.run('init', '--quiet', '--template=', '--object-format=sha1');
  // A .gitattributes of the branch could change the bytes of the files.
  await mkdir(join(folder, '.git/info'), {recursive: true});
  await writeFile(join(folder, '.git/info/attributes'), '* -text -ident -filter !working-tree-encoding\n');
  await git.run('remote', 'add', 'origin', address);
  const there = await git.run('ls-remote', 'origin', `refs/heads/${branch}`);
  if (there.trim() === '') {
    await git.run('checkout', '--quiet', '--orphan', branch);
    return;
  }
  await git.run('fetch', '--quiet', '--depth', '1', 'origin', `refs/heads/${branch}`);
  await git.run('checkout', '--quiet', '-B', branch, 'FETCH_HEAD');
}

/**
 * Refuses a branch in which a link, a submodule, a file or a folder has the path of another file or folder of the site. Writing through a
 * link would change files outside the branch.
 */
async function refuseInTheWay(git: Git, free: readonly Deployable[], branch: string): Promise<void> {
  const files = new Set([...free.map(({path}) => path.slice(1)), NO_JEKYLL]);
  const folders = new Set([...files].flatMap(foldersOf));
  const entries = (await git.run('ls-files', '--stage', '-z')).split('\0').filter(Boolean);
  const isInTheWay = (entry: string, path: string) =>
    folders.has(path) || (files.has(path) && !entry.startsWith('100')) || foldersOf(path).some(one => files.has(one));
  refuse(
    entries.flatMap(entry => {
      const path = entry.slice(entry.indexOf('\t') + 1);
      if (!isInTheWay(entry, path)) return [];
      return [{code: 'FZ408', file: path, rule: `of the branch ${branch} is in the way of a file of the site`}];
    }),
  );
}

/** Returns the folders of a relative path: `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({index}) => path.slice(0, index));
}

/** Replaces the files of an earlier deployment with the catalogue `former`. */
async function fill(folder: string, free: readonly Deployable[], former: string): Promise<void> {
  const there = await glob('**', {cwd: folder, dot: true, ignore: ['.git/**'], followSymbolicLinks: false});
  const replaced = formerPaths(
    former,
    there.map(path => `/${path}`),
  );
  for (const path of replaced) await rm(join(folder, path));
  for (const {path, file} of free) {
    await mkdir(dirname(join(folder, path)), {recursive: true});
    await cp(file, join(folder, path));
  }
  await writeFile(join(folder, NO_JEKYLL), '');
}

/** Returns the staged changes by path. */
async function staged(git: Git): Promise<Map<string, string | undefined>> {
  const out = await git.run('diff', '--cached', '--no-renames', '--name-status', '-z');
  const kinds: Readonly<Record<string, string>> = {A: 'added', M: 'changed', T: 'changed', D: 'deleted'};
  return new Map(
    [...out.matchAll(/([A-Z])\0([^\0]*)\0/g)].map(([, kind = '', path = '']) => [`/${path}`, kinds[kind]]),
  );
}
