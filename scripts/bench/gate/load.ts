import autocannon from 'autocannon';
import type {Serving} from './serving.ts';

/** How fast one server answers one path: the middle of several rounds. */
export interface Rate {
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds within which 99 of 100 requests are answered. */
  readonly p99: number;
  /** Microseconds of the server's processor time a request: what other programs on the machine disturb least. */
  readonly cpu: number;
}

export interface Rounds {
  readonly rounds: number;
  /** Seconds a round. */
  readonly duration: number;
}

export const connections = 50;

/**
 * Loads one path of several servers, in turns, so that whatever else the machine does meets them all alike. Throws
 * where an answer has another status, since errors are fast.
 */
export async function compare<Name extends string>(
  servers: Readonly<Record<Name, Serving>>,
  path: string,
  status: number,
  {rounds, duration}: Rounds,
): Promise<Record<Name, Rate>> {
  const names = Object.keys(servers) as Name[];
  const results = Object.fromEntries(names.map(name => [name, [] as Rate[]])) as Record<Name, Rate[]>;
  for (const name of names) await load(servers[name].url + path, status, {duration: 1});
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await measure(servers[name], path, status, duration));
  }
  return Object.fromEntries(names.map(name => [name, middle(results[name])])) as Record<Name, Rate>;
}

async function measure(server: Serving, path: string, status: number, duration: number): Promise<Rate> {
  // The garbage collection that an answer on usage costs is part of neither difference.
  await server.usage();
  const before = await server.usage();
  const {requests, latency} = await load(server.url + path, status, {duration});
  const after = await server.usage();
  return {rate: requests.average, p99: latency.p99, cpu: (after.cpu - before.cpu) / requests.total};
}

/** Sends requests for some seconds, or a number of them, over all connections. */
export async function load(url: string, status: number, size: {duration: number} | {amount: number}) {
  const result = await autocannon({url, connections, ...size});
  const {statusCodeStats, errors} = result as typeof result & {statusCodeStats: object};
  const seen = Object.keys(statusCodeStats);
  if (errors > 0 || seen.some(each => each !== String(status))) {
    throw new Error(`${url} answered ${seen.join(', ')} with ${errors} errors, not ${status} alone`);
  }
  return result;
}

function middle(rates: readonly Rate[]): Rate {
  const median = (figure: (rate: Rate) => number) => {
    const sorted = rates.map(figure).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return {rate: median(each => each.rate), p99: median(each => each.p99), cpu: median(each => each.cpu)};
}
