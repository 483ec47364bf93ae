import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {availableParallelism, cpus, tmpdir} from 'node:os';
import {join} from 'node:path';
import {isatty} from 'node:tty';
import {onExit} from 'signal-exit';
import {counted} from '../../shared/counted.ts';
import {findGit} from '../../scripts/programs/git.ts';
import {PROJECT} from '../project.ts';
import type {Bench, Extent, Report} from './bench.ts';

/** The options on the command line. */
interface Wanted {
  readonly quick: boolean;
  readonly json: boolean;
  readonly root: string;
  readonly former?: string | undefined;
}

type Named = readonly [name: string, load: () => Promise<Bench>];

/** Runs benches one after the other and prints their results. The exit code is 0, or 1 if something failed. */
export async function measure(benches: readonly Named[], {quick, json, root, former}: Wanted): Promise<0 | 1> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  // Only after all measurements, because deleting many files slows down the file system for minutes.
  onExit(() => {
    rmSync(folder, {recursive: true, force: true});
  });
  const extent: Extent = quick ? 'quick' : 'full';
  // The environment of the measurements.
  const processor = cpus()[0]?.model.trim() || 'an unknown processor';
  const machine = {cores: availableParallelism(), processor, node: process.version};
  const commit = await commitIn(PROJECT);
  const formerCommit = former === undefined ? undefined : await commitIn(former);
  const begun = performance.now();
  const reports: [name: string, report: Report][] = [];
  const show = (text: string) => json || process.stdout.write(`${text}\n`);
  const rounds = `Medians${quick ? '' : ' (least to most)'} of runs in turns.`;
  const compared = formerCommit === undefined ? '' : ` compared with ${formerCommit}`;
  show(
    `Commit ${commit}${compared}, ${counted(machine.cores, 'core')} of ${processor}, Node ${machine.node}. ${rounds}`,
  );
  for (const [name, load] of benches) {
    const showProgress = (now: string) => isatty(2) && process.stderr.write(`${name}: ${now} …\n`);
    const own = join(folder, name);
    mkdirSync(own);
    const report = await (await load())({extent, root, former, folder: own, showProgress});
    reports.push([name, report]);
    show(`\n${name}\n\n${report.text}`);
  }
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const failures = reports.flatMap(([, report]) => report.failures);
  if (json) {
    const figures = Object.fromEntries(reports.map(([name, report]) => [name, report.figures]));
    process.stdout.write(
      `${JSON.stringify({commit, formerCommit, machine, extent, seconds, ...figures, failures}, null, 2)}\n`,
    );
  }
  show(`\nmeasured in ${seconds} s`);
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  return failures.length === 0 ? 0 : 1;
}

/** Returns the commit of the code in a folder, with `-dirty` if files have changed since, or `unknown` outside of a repository. */
async function commitIn(folder: string): Promise<string> {
  const git = await findGit(folder);
  return (await git.ask('describe', '--always', '--dirty', '--abbrev=7', '--exclude=*')) ?? 'unknown';
}
