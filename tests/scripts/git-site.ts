import {execFileSync} from 'node:child_process';
import {copiesOf} from '../build/site-copies.ts';
import {denySite, type SiteFixture} from '../build/site-fixture.ts';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, {cwd, encoding: 'utf8'});

/** A site of one product, built and committed in a repository. */
export interface GitSite extends SiteFixture {
  git(...args: string[]): string;
  /** Builds, and commits the changes. */
  commit(): Promise<void>;
  /** Returns the committed files below `public/`, as paths of the site without the leading slash. */
  files(): string[];
}

const copy = copiesOf(async () => {
  const site = await denySite();
  git(site.root, 'init', '--quiet', '--initial-branch', 'main');
  git(site.root, 'config', 'user.name', 'A Publisher');
  git(site.root, 'config', 'user.email', 'publisher@test.example');
  await commitBuild(site);
  return site;
});

async function commitBuild(site: SiteFixture): Promise<void> {
  const {code, err} = await site.build();
  if (code !== 0) throw new Error(err);
  git(site.root, 'add', '--all');
  git(site.root, 'commit', '--quiet', '--message', 'Build');
}

export async function gitSite(): Promise<GitSite> {
  return inRepository(await copy());
}

/** Makes a site in a folder that is a repository. */
export function inRepository(site: SiteFixture): GitSite {
  const inSite = (...args: string[]) => git(site.root, ...args);
  const files = () => inSite('ls-tree', '-r', '--name-only', 'HEAD:public').trim().split('\n');
  return {...site, git: inSite, commit: () => commitBuild(site), files};
}
