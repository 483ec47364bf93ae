import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {build} from 'esbuild';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {PROJECT} from '../project.ts';
import {remoteLedger} from './remote-ledger.ts';

/** A process with an open ledger. `await using` kills it. */
export interface LedgerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly ledger: Ledger;
  /** Opens the ledger, or rejects with the reason. */
  open(): Promise<void>;
  kill(): Promise<void>;
}

/** One line of the process's output. */
interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** The program of the process, compiled once: compiling it at every start takes most of the time of a test. */
const MAIN = join(PROJECT, `node_modules/.cache/ledger-main-${process.pid}.mjs`);
let compiled: Promise<unknown> | undefined;

function compile(): Promise<unknown> {
  process.once('exit', () => {
    rmSync(MAIN, {force: true});
  });
  return build({
    entryPoints: [join(PROJECT, 'tests/ledger/ledger-main.ts')],
    outfile: MAIN,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
}

/**
 * Starts a process that can open the ledger at an address.
 *
 * @param user the numeric user id with which it opens the ledger, if it differs from ours
 */
export async function ledgerProcess(address: string, user?: number): Promise<LedgerProcess> {
  compiled ??= compile();
  await compiled;
  const child = spawn(process.execPath, [MAIN, address, ...(user === undefined ? [] : [String(user)])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  // After a kill, writes to the process fail.
  child.stdin.on('error', () => undefined);
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface(child.stdout).on('line', line => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let calls = 0;
  const call = async (method: string, values: readonly unknown[]) => {
    const id = calls++;
    const {value, error} = await new Promise<Answer>(resolve => {
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({id, method, values})}\n`);
    });
    if (error !== undefined) throw new Error(error);
    return value;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  await call('ready', []);
  return {
    pid: child.pid ?? 0,
    ledger: remoteLedger(call),
    open: async () => void (await call('open', [])),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
