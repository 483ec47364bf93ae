import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {FROZEN, PROJECT} from '../project.ts';

/** The reason why commands cannot run on a terminal here, or false if they can. */
export const noTerminal = spawnSync('script', ['--version']).status === 0 ? false : 'there is no `script` here';

/** Runs a script of the publisher on a terminal of 200 columns. Returns the output of the terminal. */
export function onTerminal(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const command = `stty cols 200; node ${FROZEN} ${name} ${args.join(' ')}`;
  const {status, stdout} = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: PROJECT,
    env: {...process.env, ...env},
    encoding: 'utf8',
  });
  return {status, shown: stdout};
}

/** Runs a script on a terminal and types each answer when its question is shown. Returns the output of the terminal. */
export async function answering(
  args: readonly string[],
  cwd: string,
  answers: readonly (readonly [question: string, answer: string])[],
) {
  const command = `stty cols 200; node ${FROZEN} ${args.join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {cwd, timeout: 60_000});
  const exited = once(child, 'exit');
  const left = [...answers];
  let [shown, from] = ['', 0];
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    const [question, answer] = left[0] ?? [];
    if (question === undefined || answer === undefined || !shown.slice(from).includes(question)) continue;
    from = shown.length;
    left.shift();
    child.stdin.write(answer);
  }
  const [status] = (await exited) as [number | null];
  return {status, shown, unasked: left.map(([question]) => question)};
}
