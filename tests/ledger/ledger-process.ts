import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {remoteLedger} from './remote-ledger.ts';

/** A process that has a ledger open; `await using` kills it. */
export interface LedgerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly ledger: Ledger;
  /** Opens the ledger, or says why not. */
  open(): Promise<void>;
  kill(): Promise<void>;
}

/** One line that a process answers. */
interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/**
 * Starts a process that will open the ledger at an address.
 *
 * @param user the user that it runs as from then on
 */
export async function ledgerProcess(address: string, user?: number): Promise<LedgerProcess> {
  const args = ['--import', 'tsx', new URL('ledger-main.ts', import.meta.url).pathname, address];
  const child = spawn(process.execPath, [...args, ...(user === undefined ? [] : [String(user)])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  // One that was killed takes no question any more.
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
