import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {PROJECT} from '../../project.ts';

/** The resources of a whole process, from its start to its end. */
export interface Run {
  /** Wall time in seconds. */
  readonly seconds: number;
  /** Processor time in seconds, the sum of all cores. */
  readonly cpu: number;
  /** Peak memory in MiB, or NaN if the system does not report it. */
  readonly mebibytes: number;
}

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Prints the process id on the first line of standard error, and the times on the last. The shell measures with a
 * precision of a millisecond, and only adds a fork to a process.
 */
const TIMED = String.raw`TIMEFORMAT=$'\n%3R %3U %3S'; time { (echo "$BASHPID" >&2; exec "$@"); }`;

const LOOK_EVERY_MS = 10;

/** Runs a program to its end, and ignores its output. If the program fails, throws its message. */
export async function run(command: Command, cwd = PROJECT): Promise<Run> {
  const child = spawn('bash', ['-c', TIMED, 'bash', ...command], {cwd, stdio: ['ignore', 'ignore', 'pipe']});
  let said = '';
  let bytes = Number.NaN;
  child.stderr.setEncoding('utf8').on('data', (more: string) => (said += more));
  const look = setInterval(() => {
    bytes = peakOf(Number.parseInt(said)) ?? bytes;
  }, LOOK_EVERY_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(look);
  const [, complaint = '', seconds, user, system] = /^\d*\n([^]*)\n(\S+) (\S+) (\S+)\n$/.exec(said) ?? [];
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${complaint || said}`);
  return {seconds: Number(seconds), cpu: Number(user) + Number(system), mebibytes: bytes / 2 ** 20};
}

/**
 * Returns the peak memory of a process in bytes, which the kernel records for the program itself. The value of
 * getrusage(2) includes the process before exec.
 */
function peakOf(pid: number): number | undefined {
  if (Number.isNaN(pid)) return undefined;
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch (error) {
    // The process has ended, or the system has no such file.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
