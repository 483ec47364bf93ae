import {spawnSync} from 'node:child_process';
import {FROZEN, PROJECT} from '../project.ts';

/** Why nothing can run on a terminal here; false where it can. */
export const noTerminal = spawnSync('script', ['--version']).status === 0 ? false : 'there is no `script` here';

/** Runs a script of the publisher on a terminal of 200 columns. Returns what the terminal was sent. */
export function onTerminal(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const command = `stty cols 200; node ${FROZEN} ${name} ${args.join(' ')}`;
  const {status, stdout} = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: PROJECT,
    env: {...process.env, ...env},
    encoding: 'utf8',
  });
  return {status, shown: stdout};
}
