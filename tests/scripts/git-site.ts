import {execFileSync} from 'node:child_process';
import {denySite, type SiteFixture} from '../build/site-fixture.ts';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, {cwd, encoding: 'utf8'});

/** A site of one product, built and committed in a repository of its own. */
export interface GitSite extends SiteFixture {
  git(...args: string[]): string;
  /** Builds, and commits whatever changed. */
  commit(): Promise<void>;
  /** The committed files below `public/`, as paths of the site without the leading slash. */
  files(): string[];
}

export async function gitSite(): Promise<GitSite> {
  const site = await denySite();
  const inSite = (...args: string[]) => git(site.root, ...args);
  const commit = async () => {
    const {code, err} = await site.build();
    if (code !== 0) throw new Error(err);
    inSite('add', '--all');
    inSite('commit', '--quiet', '--message', 'Build');
  };
  inSite('init', '--quiet', '--initial-branch', 'main');
  inSite('config', 'user.name', 'A Publisher');
  inSite('config', 'user.email', 'publisher@test.example');
  await commit();
  const files = () => inSite('ls-tree', '-r', '--name-only', 'HEAD:public').trim().split('\n');
  return {...site, git: inSite, commit, files};
}
