import {spawn} from 'node:child_process';
import {text} from 'node:stream/consumers';
import {frozen} from '../../scripts/program.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {plainErrors} from '../plain-errors.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** The lines of standard error with remedies, if `err` does not contain them. */
  readonly remedies?: string;
}

/** The time limit for a command. It ends commands that hang, and does not measure speed. */
const MAX_MS = 180_000;

let queue: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which is much faster than a new one. Commands run one after the other, because they
 * share the environment and the working directory. Use `runNode` if the process is the subject of a test.
 */
export function runScript(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return runIn(PROJECT, [name, ...args], env);
}

/** Runs `frozen` in this process, from a folder. */
export async function runIn(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return apart(await runRaw(cwd, args, env));
}

/** Separates the remedies from the messages. */
export function apart({code, out, err}: Ran): Ran {
  const remedies = err.match(/^FZ\d{3}: .*$/gm)?.join('\n');
  return {code, out, err: plainErrors(err), ...(remedies === undefined ? {} : {remedies})};
}

/** Like `runIn`, with the codes and remedies of errors. */
export function runRaw(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const ran = queue.then(async () => {
    const before = process.cwd();
    process.chdir(cwd);
    try {
      return await runHere(args, env);
    } finally {
      process.chdir(before);
    }
  });
  queue = ran.catch(() => undefined);
  return ran;
}

async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const written = {out: '', err: ''};
  const code = await withVariables(env, () =>
    frozen(args, {
      out: {write: (part: string) => (written.out += part)},
      err: {write: (part: string) => (written.err += part)},
    }),
  );
  return {code, ...written};
}

/** Calls a function while this process has other environment variables. */
export async function withVariables<T>(env: NodeJS.ProcessEnv, call: () => Promise<T>): Promise<T> {
  const before = {...process.env};
  setVariables(env);
  try {
    return await call();
  } finally {
    setVariables({...Object.fromEntries(Object.keys(env).map(name => [name, undefined])), ...before});
  }
}

function setVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env))
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
}

/** Runs Node in a separate process. */
export async function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const child = spawn(process.execPath, args, {
    cwd: PROJECT,
    env: {...process.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  });
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return apart({code, out, err});
}

/** Runs a command in a separate process. */
export function runProcess(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return runNode([FROZEN, name, ...args], env);
}
