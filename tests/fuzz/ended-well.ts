import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {text} from 'node:stream/consumers';
import {FROZEN, PROJECT} from '../project.ts';
import {plainErrors} from '../plain-errors.ts';
import type {Ran} from '../scripts/script-run.ts';

/** Longer than any build of a few rows takes, also on a busy machine. */
const PATIENCE_MS = 150_000;

/** Runs the build in a separate process, because its input may crash it. */
export function buildApart(root: string): Promise<Ran> {
  return runApart('build', '--root', root);
}

/** Runs a command in a separate process. Throws if it is killed, or takes too long. */
export async function runApart(...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [FROZEN, ...args], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  });
  const ended = new Promise<readonly [code: number | null, signal: string | null]>(resolve => {
    child.once('close', (code, signal) => {
      resolve([code, signal]);
    });
  });
  const [out, err, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  assert.equal(signal, null, `${String(args[0])} was ended by ${String(signal)}`);
  return {code: Number(code), out, err};
}

/** Throws if a build ended with a stack, or with faults that are not one line each. */
export function assertEndedWell({code, err}: Ran): void {
  assert.ok(code === 0 || code === 1, `exit code ${code}: ${err}`);
  assert.equal(code === 1, err !== '', err);
  for (const line of plainErrors(err).split('\n').slice(0, -1))
    assert.match(
      line,
      /^((data|public|paywall)\/\S+ .+|… and \d+ more)$/,
      `no fault in one line: ${err.slice(0, 2000)}`,
    );
}
