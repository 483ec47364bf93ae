import autocannon from '../../extra/autocannon.js';
import {figure, ratioOf, spreadOf, spreadText} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import type {Serving} from './serving.ts';

/** The speed of a server for one path in one round. */
interface Rate {
  /** Requests per second. */
  readonly rate: number;
  /** The 99th percentile of latency in milliseconds. */
  readonly p99: number;
  /** The server's processor time per request in microseconds. Other programs on the machine affect it least. */
  readonly cpu: number;
}

/** A server under load. The first is the gate. Its rate is reported as a ratio to that of each other server. */
export interface Loaded {
  readonly name: string;
  readonly rates: readonly Rate[];
}

/** The length of a round of load, in seconds or in requests. */
export type Size = {readonly duration: number} | {readonly amount: number};

/** The request, and the expected status of every response. */
export interface Question {
  readonly path: string;
  readonly status: number;
  /** True to send the entity tag of an earlier response. */
  readonly tagged?: boolean;
  /** Makes the header PAYMENT-SIGNATURE of each request. */
  readonly payment?: () => string;
}

export const connections = 50;

/**
 * Loads one path of several servers in turns, so that other load on the machine affects all of them equally. Throws if
 * a response has another status, because errors are fast.
 */
export async function loadInTurns(
  servers: readonly Serving[],
  question: Question,
  rounds: number,
  size: Size,
): Promise<Loaded[]> {
  const loaded = servers.map(({name}) => ({name, rates: [] as Rate[]}));
  for (const server of servers) await warmUp(server, question);
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries())
      loaded[index]?.rates.push(await measureLasting(server, question, size));
  }
  return loaded;
}

async function warmUp(server: Serving, question: Question): Promise<void> {
  await load(server, question, {amount: 2000});
}

/** Runs one round, in a new process if the server would not survive it. */
async function measureLasting(server: Serving, question: Question, size: Size): Promise<Rate> {
  if (!question.tagged || !server.anew) return measure(server, question, size);
  await using fresh = await server.anew();
  await warmUp(fresh, question);
  return await measure(fresh, question, size);
}

async function measure(server: Serving, question: Question, size: Size): Promise<Rate> {
  // Neither difference includes the garbage collection that reading the usage causes.
  await server.usage();
  const before = await server.usage();
  const {requests, latency, seconds} = await load(server, question, size);
  const after = await server.usage();
  return {rate: requests.total / seconds, p99: latency.p99, cpu: (after.cpu - before.cpu) / requests.total};
}

/** Sends requests over all connections, for some seconds or a number of requests. */
export async function load({url: origin}: Serving, {path, status, tagged = false, payment}: Question, size: Size) {
  const url = origin + path;
  const headers = tagged ? {'If-None-Match': await tagOf(url)} : {};
  const paying = payment && {requests: [{setupRequest: withPayment(payment)}]};
  const {result, seconds} = await run({url, connections, headers, ...paying, ...size});
  const {statusCodeStats, errors} = result as typeof result & {statusCodeStats: object};
  const seen = Object.keys(statusCodeStats);
  if (errors > 0 || seen.some(each => each !== String(status))) {
    throw new Error(`${url} answered ${seen.join(', ')} with ${errors} errors, expected only ${status}`);
  }
  return {...result, seconds};
}

/**
 * Runs the generator, and returns the seconds until the last response. The generator itself reads the clock only once a
 * second.
 */
function run(options: autocannon.Options): Promise<{result: autocannon.Result; seconds: number}> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let last = begun;
    const instance = autocannon(options, (error: Error | null, result) => {
      if (error) reject(error);
      else resolve({result, seconds: (last - begun) / 1000});
    });
    instance.on('response', () => {
      last = performance.now();
    });
  });
}

function withPayment(payment: () => string) {
  return (request: autocannon.Request) => ({...request, headers: {...request.headers, 'PAYMENT-SIGNATURE': payment()}});
}

async function tagOf(url: string): Promise<string> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.headers.get('ETag') ?? '';
}

/** Returns a line per server: its medians, and the ratio of the gate's rate to its rate. */
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

/** Returns the same for JSON. */
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
