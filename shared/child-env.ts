/** The variables that a process needs to find programs and temporary files. The last one is needed on Windows. */
const BASIC = /^(PATH|TMPDIR|TMP|TEMP|SYSTEMROOT)$/i;

/**
 * Returns the environment for a child process or thread: the basic variables, which are not secret, and those that it needs. All others,
 * such as wallet keys, are left out.
 * @param needs matches the names of further variables
 */
export function childEnv(needs?: RegExp, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => BASIC.test(name) || needs?.test(name)));
}
