/** What a process needs to find programs and temporary files; the last is needed on Windows. */
const BASIC = /^(PATH|TMPDIR|TMP|TEMP|SYSTEMROOT)$/i;

/**
 * The environment for a child process or thread: the basic variables, which hold no secrets, and those that it needs in addition. Everything
 * else stays here, such as the keys of wallets.
 *
 * @param needs matches the names of further variables
 */
export function childEnv(needs?: RegExp, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => BASIC.test(name) || needs?.test(name)));
}
