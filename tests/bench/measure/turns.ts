import {run, type Command, type Run} from './process-run.ts';
import {figure, ratioOf, spreadOf, spreadText, type Spread} from './spread.ts';
import {table} from './table.ts';

/** A command that is measured together with others. */
export interface Contender {
  readonly name: string;
  /** The names of its peers. The ratios of its wall time to theirs are reported. */
  readonly against?: readonly string[];
  /** The name of the same build by former code. The ratios of wall and processor times are reported. */
  readonly former?: string;
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
  readonly former: string | undefined;
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
  const measured = contenders.map(({name, against = [], former}) => ({name, against, former, runs: [] as Run[]}));
  for (let round = 0; round < rounds; round++) {
    for (const [index, {name, command, cwd, prepare}] of contenders.entries()) {
      showProgress(`${name}, round ${round + 1} of ${rounds}`);
      await prepare?.(round);
      measured[index]?.runs.push(await run(command(round), cwd));
    }
  }
  return measured;
}

/**
 * Returns a line per contender: its times, the ratio of its wall time to that of each peer, and the ratios to the
 * former code, if it was measured.
 */
export function turnsTable(all: readonly Measured[], title = ''): string {
  const peers = [...new Set(all.flatMap(({against}) => against))];
  return table([
    [
      ...[title, 'wall s', 'CPU s', 'peak MiB', ...peers.map(peer => `/ ${peer}`)],
      ...(all.some(({former}) => former !== undefined) ? ['/ former', 'CPU / former'] : []),
    ],
    ...all.map(({name, against, former, runs}) => [
      name,
      spreadText(spreadOf(runs.map(each => each.seconds))),
      figure(spreadOf(runs.map(each => each.cpu)).median, 2),
      figure(spreadOf(runs.map(each => each.mebibytes)).max),
      ...peers.map(peer => (against.includes(peer) ? spreadText(ratio(all, 'seconds', name, peer)) : '')),
      ...Object.values(ratiosToFormer(all, name, former) ?? {}).map(each => spreadText(each)),
    ]),
  ]);
}

/** Returns the same for JSON. */
export function turnsFigures(all: readonly Measured[]): object[] {
  return all.map(({name, against, former, runs}) => ({
    name,
    seconds: spreadOf(runs.map(each => each.seconds)),
    cpuSeconds: spreadOf(runs.map(each => each.cpu)),
    peakMebibytes: spreadOf(runs.map(each => each.mebibytes)),
    ratios: Object.fromEntries(against.map(peer => [peer, ratio(all, 'seconds', name, peer)])),
    ratiosToFormer: ratiosToFormer(all, name, former),
  }));
}

export function runsOf(all: readonly Measured[], name: string): readonly Run[] {
  return all.find(each => each.name === name)?.runs ?? [];
}

function ratiosToFormer(all: readonly Measured[], name: string, former: string | undefined) {
  if (former === undefined) return undefined;
  return {seconds: ratio(all, 'seconds', name, former), cpuSeconds: ratio(all, 'cpu', name, former)};
}

function ratio(all: readonly Measured[], time: 'seconds' | 'cpu', name: string, against: string): Spread {
  return ratioOf(
    runsOf(all, name).map(each => each[time]),
    runsOf(all, against).map(each => each[time]),
  );
}
