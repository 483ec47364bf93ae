import {run, type Command, type Run} from './process-run.ts';
import {figure, ratioOf, spreadOf, spreadText, type Spread} from './spread.ts';
import {table} from './table.ts';

/** One of those that are measured side by side. */
export interface Contender {
  readonly name: string;
  /** Whose wall time its own is told as a ratio of. */
  readonly against?: string;
  readonly command: (round: number) => Command;
  readonly cwd?: string;
  /** Whatever has to be there in this round, and is not measured. */
  readonly prepare?: (round: number) => Promise<void>;
}

/** What the rounds of one contender took. */
export interface Measured {
  readonly name: string;
  readonly against?: string | undefined;
  readonly runs: readonly Run[];
}

/** Runs all contenders one after the other, round after round, so that whatever else the machine does meets them all alike. */
export async function inTurns(
  contenders: readonly Contender[],
  rounds: number,
  tell: (now: string) => void,
): Promise<Measured[]> {
  const measured = contenders.map(({name, against}) => ({name, against, runs: [] as Run[]}));
  for (let round = 0; round < rounds; round++) {
    for (const [index, {name, command, cwd, prepare}] of contenders.entries()) {
      tell(`${name}, round ${round + 1} of ${rounds}`);
      await prepare?.(round);
      measured[index]?.runs.push(await run(command(round), cwd));
    }
  }
  return measured;
}

/** One line a contender: what it took, and its wall time as a ratio of its peer's. */
export function turnsTable(all: readonly Measured[]): string {
  return table([
    ['', 'wall s', 'CPU s', 'peak MiB', 'ratio', 'of'],
    ...all.map(({name, against = '', runs}) => [
      name,
      spreadText(spreadOf(runs.map(each => each.seconds))),
      figure(spreadOf(runs.map(each => each.cpu)).median, 2),
      spreadText(spreadOf(runs.map(each => each.mebibytes)), 0),
      against === '' ? '' : spreadText(wallRatio(all, name, against)),
      against,
    ]),
  ]);
}

/** The same for programs. */
export function turnsFigures(all: readonly Measured[]): object[] {
  return all.map(({name, against, runs}) => ({
    name,
    seconds: spreadOf(runs.map(each => each.seconds)),
    cpuSeconds: spreadOf(runs.map(each => each.cpu)),
    peakMebibytes: spreadOf(runs.map(each => each.mebibytes)),
    ...(against !== undefined && {against, ratio: wallRatio(all, name, against)}),
  }));
}

export function runsOf(all: readonly Measured[], name: string): readonly Run[] {
  return all.find(each => each.name === name)?.runs ?? [];
}

function wallRatio(all: readonly Measured[], name: string, against: string): Spread {
  return ratioOf(
    runsOf(all, name).map(each => each.seconds),
    runsOf(all, against).map(each => each.seconds),
  );
}
