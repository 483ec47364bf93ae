import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Makes sure a child never outlives this process, however this one ends: by itself, by an uncaught error or by a
 * signal, which is raised again once the child is gone. Returns what ends the child before that.
 */
export function tieToThisProcess(child: ChildProcess): () => Promise<void> {
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  const killAndRaise = (signal: NodeJS.Signals) => {
    kill();
    untie();
    // Whoever else listens decides how to end; with nobody left the default applies.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const untie = () => {
    process.off('exit', kill);
    for (const signal of signals) process.off(signal, killAndRaise);
  };
  process.on('exit', kill);
  for (const signal of signals) process.on(signal, killAndRaise);

  return async () => {
    kill();
    await exited.finally(untie);
  };
}
