import {$} from 'zx';

/** The files that git leaves out of commits, below the root: a freeze that is not committed is lost to everybody else. */
export async function ignoredByGit(root: string, files: readonly string[]): Promise<string[]> {
  // Fails where nothing is ignored, where the root is in no repository, and where there is no git: all is well then.
  const {stdout, exitCode} = await $({
    cwd: root,
    nothrow: true,
    quiet: true,
  })`git -c core.quotePath=false check-ignore -- ${files}`;
  return exitCode === 0 ? stdout.trim().split('\n') : [];
}
