import {spawn} from 'node:child_process';
import {readFile, writeFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import {FROZEN, PROJECT} from '../project.ts';
import {plainErrors} from '../plain-errors.ts';
import {runScript} from '../scripts/script-run.ts';

/** The result of a command, with its time and memory. */
export interface Limited {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
  /** The peak memory of the process in MiB, without its children. */
  readonly mebibytes: number;
}

/** The maximum heap of JavaScript. A whole list does not fit. */
const HEAP = '--max-old-space-size=1024';
/** Far above the time of any case. It ends commands that hang, and does not measure speed. */
const MAX_MS = 120_000;
const EVERY_MS = 50;

/** Runs a command of the publisher and measures its memory. A process that uses more than 3 GiB is ended. */
export async function runLimited(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Limited> {
  const started = performance.now();
  const child = spawn(process.execPath, [HEAP, FROZEN, name, ...args], {
    cwd: PROJECT,
    env: {...process.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  });
  let mebibytes = 0;
  const watch = setInterval(() => {
    void peakOf(child.pid).then(peak => {
      mebibytes = Math.max(mebibytes, peak);
      if (peak > 3072) child.kill('SIGKILL');
    });
  }, EVERY_MS);
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  clearInterval(watch);
  return {code, out, err: plainErrors(err), seconds: (performance.now() - started) / 1000, mebibytes};
}

/**
 * Runs a command of the publisher in this process, which is much faster than a new one, and measures by how much the
 * memory of this process grows. It cannot end a command that hangs.
 */
export async function runMeasured(name: string, args: readonly string[]): Promise<Limited> {
  await writeFile('/proc/self/clear_refs', '5').catch(() => undefined); // This resets the peak.
  const before = await peakOf(process.pid);
  const started = performance.now();
  const ran = await runScript(name, args);
  const seconds = (performance.now() - started) / 1000;
  return {...ran, seconds, mebibytes: (await peakOf(process.pid)) - before};
}

/** Returns the memory in MiB, or 0 if the system does not report it or the process has ended. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
