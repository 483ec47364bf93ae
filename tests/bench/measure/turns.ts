import {run, type Command, type Run} from './process-run.ts';
import {figure, ratioOf, spreadOf, spreadText, type Spread} from './spread.ts';
import {table} from './table.ts';

/** A command that is measured together with others. */
export interface Contender {
  readonly name: string;
  /** The names of its peers. The ratios of its wall time to theirs are reported. */
  readonly against?: readonly string[];
  readonly command: (round: number) => Command;
  /** The working directory. By default that of the project. */
  readonly cwd?: string;
  /** Prepares a round, which is not measured. */
  readonly prepare?: (round: number) => Promise<unknown>;
}

/** The times of the rounds of one contender. */
export interface Measured {
  readonly name: string;
  readonly against: readonly string[];
  readonly runs: readonly Run[];
}

/**
 * Runs all contenders one after the other in each round, so that other load on the machine affects all of them equally.
 */
export async function inTurns(
  contenders: readonly Contender[],
  rounds: number,
  showProgress: (now: string) => void,
): Promise<Measured[]> {
  const measured = contenders.map(({name, against = []}) => ({name, against, runs: [] as Run[]}));
  for (let round = 0; round < rounds; round++) {
    for (const [index, {name, command, cwd, prepare}] of contenders.entries()) {
      showProgress(`${name}, round ${round + 1} of ${rounds}`);
      await prepare?.(round);
      measured[index]?.runs.push(await run(command(round), cwd));
    }
  }
  return measured;
}

/** Returns a line per contender: its times, and the ratio of its wall time to that of each peer. */
export function turnsTable(all: readonly Measured[], title = ''): string {
  const peers = [...new Set(all.flatMap(({against}) => against))];
  return table([
    [title, 'wall s', 'CPU s', 'peak MiB', ...peers.map(peer => `/ ${peer}`)],
    ...all.map(({name, against, runs}) => [
      name,
      spreadText(spreadOf(runs.map(each => each.seconds))),
      figure(spreadOf(runs.map(each => each.cpu)).median, 2),
      figure(spreadOf(runs.map(each => each.mebibytes)).max),
      ...peers.map(peer => (against.includes(peer) ? spreadText(wallRatio(all, name, peer)) : '')),
    ]),
  ]);
}

/** Returns the same for JSON. */
export function turnsFigures(all: readonly Measured[]): object[] {
  return all.map(({name, against, runs}) => ({
    name,
    seconds: spreadOf(runs.map(each => each.seconds)),
    cpuSeconds: spreadOf(runs.map(each => each.cpu)),
    peakMebibytes: spreadOf(runs.map(each => each.mebibytes)),
    ratios: Object.fromEntries(against.map(peer => [peer, wallRatio(all, name, peer)])),
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
