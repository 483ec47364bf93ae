import {mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isatty} from 'node:tty';
import {InputError} from '../../shared/fault.ts';
import {SiteError} from '../../paywall/site/site-error.ts';
import type {Bench, Extent, Report} from './bench.ts';
import {machineLine, thisMachine} from './measure/machine.ts';

/** What is asked for on the command line. */
interface Wanted {
  readonly quick: boolean;
  readonly json: boolean;
  readonly root: string;
}

type Named = readonly [name: string, load: () => Promise<Bench>];

/** Runs benches one after the other and prints what they found. Exit code: 0 measured, 1 something failed. */
export async function measure(benches: readonly Named[], wanted: Wanted): Promise<0 | 1> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  // Only when nothing is measured any more: deleting many files slows the file system down for minutes.
  process.once('exit', () => {
    rmSync(folder, {recursive: true, force: true});
  });
  const interrupted = () => process.exit(1);
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await measureIn(folder, benches, wanted);
  } catch (error) {
    if (!(error instanceof InputError || error instanceof SiteError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function measureIn(folder: string, benches: readonly Named[], {quick, json, root}: Wanted): Promise<0 | 1> {
  const extent: Extent = quick ? 'quick' : 'full';
  const machine = thisMachine();
  const begun = performance.now();
  const reports: [name: string, report: Report][] = [];
  const show = (text: string) => json || process.stdout.write(`${text}\n`);
  show(`${machineLine(machine)}. Medians${quick ? '' : ' (least to most)'} of runs in turns.`);
  for (const [name, load] of benches) {
    const tell = (now: string) => isatty(2) && process.stderr.write(`${name}: ${now} …\n`);
    const own = join(folder, name);
    mkdirSync(own);
    const report = await (await load())({extent, root, folder: own, tell});
    reports.push([name, report]);
    show(`\n${name}\n\n${report.text}`);
  }
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const failures = reports.flatMap(([, report]) => report.failures);
  if (json) {
    const figures = Object.fromEntries(reports.map(([name, report]) => [name, report.figures]));
    process.stdout.write(`${JSON.stringify({machine, extent, seconds, ...figures, failures}, null, 2)}\n`);
  }
  show(`\nmeasured in ${seconds} s`);
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  return failures.length === 0 ? 0 : 1;
}
