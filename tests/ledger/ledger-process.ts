import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
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

/**
 * Starts a process that can open the ledger at an address.
 *
 * @param user the numeric user id with which it opens the ledger, if it differs from ours
 */
export async function ledgerProcess(address: string, user?: number): Promise<LedgerProcess> {
  const args = ['--import', 'tsx', new URL('ledger-main.ts', import.meta.url).pathname, address];
  const child = spawn(process.execPath, [...args, ...(user === undefined ? [] : [String(user)])], {
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
