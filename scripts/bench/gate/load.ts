import autocannon from 'autocannon';
import {figure, ratioOf, spreadOf, spreadText} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import type {Serving} from './serving.ts';

/** How fast a server answers one path, in one round. */
interface Rate {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds within which 99 of 100 requests are answered. */
  readonly p99: number;
  /** Microseconds of the server's processor time a request: what other programs on the machine disturb least. */
  readonly cpu: number;
}

/** One of those that are loaded side by side; the first is the gate, whose rate is told as a ratio of each other's. */
export interface Loaded {
  readonly name: string;
  readonly rates: readonly Rate[];
}

export interface Rounds {
  readonly rounds: number;
  /** Seconds a round. */
  readonly duration: number;
}

/** What is asked for, and the status that every answer must have. */
export interface Question {
  readonly path: string;
  readonly status: number;
  /** Asked with the entity tag that the server itself gave before. */
  readonly tagged?: boolean;
}

export const connections = 50;

/**
 * Loads one path of several servers, in turns, so that whatever else the machine does meets them all alike. Throws
 * where an answer has another status, since errors are fast.
 */
export async function loadInTurns(
  servers: readonly Serving[],
  question: Question,
  {rounds, duration}: Rounds,
): Promise<Loaded[]> {
  const loaded = servers.map(({name}) => ({name, rates: [] as Rate[]}));
  for (const server of servers) await load(server, question, {duration: 1});
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries())
      loaded[index]?.rates.push(await measure(server, question, duration));
  }
  return loaded;
}

async function measure(server: Serving, question: Question, duration: number): Promise<Rate> {
  // The garbage collection that an answer on usage costs is part of neither difference.
  await server.usage();
  const before = await server.usage();
  const {requests, latency} = await load(server, question, {duration});
  const after = await server.usage();
  return {rate: requests.average, p99: latency.p99, cpu: (after.cpu - before.cpu) / requests.total};
}

/** Sends requests for some seconds, or a number of them, over all connections. */
export async function load(
  {url: origin}: Serving,
  {path, status, tagged = false}: Question,
  size: {duration: number} | {amount: number},
) {
  const url = origin + path;
  const headers = tagged ? {'If-None-Match': await tagOf(url)} : {};
  const result = await autocannon({url, connections, headers, ...size});
  const {statusCodeStats, errors} = result as typeof result & {statusCodeStats: object};
  const seen = Object.keys(statusCodeStats);
  if (errors > 0 || seen.some(each => each !== String(status))) {
    throw new Error(`${url} answered ${seen.join(', ')} with ${errors} errors, not ${status} alone`);
  }
  return result;
}

async function tagOf(url: string): Promise<string> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.headers.get('ETag') ?? '';
}

/** One line a server: its medians, and the gate's rate as a ratio of its own. */
export function loadTable(title: string, all: readonly Loaded[]): string {
  return table([
    [title, 'requests/s', 'p99 ms', 'CPU µs each', "the gate's rate against it"],
    ...all.map(({name, rates}, index) => [
      name,
      spreadText(spreadOf(rates.map(each => each.rate)), 0),
      spreadText(spreadOf(rates.map(each => each.p99)), 0),
      figure(spreadOf(rates.map(each => each.cpu)).median),
      index === 0 ? '' : spreadText(rateRatio(all[0], rates)),
    ]),
  ]);
}

/** The same for programs. */
export function loadFigures(all: readonly Loaded[]): object[] {
  return all.map(({name, rates}, index) => ({
    name,
    requestsPerSecond: spreadOf(rates.map(each => each.rate)),
    p99Milliseconds: spreadOf(rates.map(each => each.p99)),
    cpuMicrosecondsEach: spreadOf(rates.map(each => each.cpu)),
    ...(index > 0 && {gateAgainstIt: rateRatio(all[0], rates)}),
  }));
}

function rateRatio(gate: Loaded | undefined, rates: readonly Rate[]) {
  return ratioOf(
    (gate?.rates ?? []).map(each => each.rate),
    rates.map(each => each.rate),
  );
}
