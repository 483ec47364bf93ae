import {run, type Command, type Run} from './process-run.ts';
import {figure, ratioOf, spreadOf, spreadText, type Spread} from './spread.ts';
import {table} from './table.ts';

/** One of those that are measured side by side. */
export interface Contender {
  readonly name: string;
  /** The names of those whose wall time its own is told as a ratio of. */
  readonly against?: readonly string[];
  readonly command: (round: number) => Command;
  /** The folder it runs in, where not in that of the project. */
  readonly cwd?: string;
  /** Whatever has to be there in this round, and is not measured. */
  readonly prepare?: (round: number) => Promise<unknown>;
}

/** What the rounds of one contender took. */
export interface Measured {
  readonly name: string;
  readonly against: readonly string[];
  readonly runs: readonly Run[];
}

/** Runs all contenders one after the other, round after round, so that whatever else the machine does meets them all alike. */
export async function inTurns(
  contenders: readonly Contender[],
  rounds: number,
  tell: (now: string) => void,
): Promise<Measured[]> {
  const measured = contenders.map(({name, against = []}) => ({name, against, runs: [] as Run[]}));
  for (let round = 0; round < rounds; round++) {
    for (const [index, {name, command, cwd, prepare}] of contenders.entries()) {
      tell(`${name}, round ${round + 1} of ${rounds}`);
      await prepare?.(round);
      measured[index]?.runs.push(await run(command(round), cwd));
    }
  }
  return measured;
}

/** One line a contender: what it took, and its wall time as a ratio of its peers', one column a peer. */
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

/** The same for programs. */
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
