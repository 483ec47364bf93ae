import {printable} from '../../shared/printable.ts';
import {errorStack} from '../../shared/error-message.ts';
import {verdict} from '../build/report.ts';
import pc from '../terminal/colours.ts';
import type {Terminal} from '../terminal/command.ts';
import {Builder, type Good} from './builder.ts';
import {DevState} from './state.ts';
import {watchData} from './watch.ts';
import {once} from 'node:events';
import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {createAdaptorServer} from '@hono/node-server';
import {InputError} from '../../shared/fault.ts';
import {devApp} from './app.ts';

/** The interval after which a build that failed for a reason outside `data/`, such as another build, is repeated. */
const AGAIN_MS = 1000;

/**
 * Builds the site whenever `data/` changes, and serves it until the process ends. Rejects with `InputError` if it cannot listen or watch,
 * or if the folder no longer exists.
 */
export async function develop(root: string, port: number | undefined, {out, err}: Terminal): Promise<never> {
  const onError = (error: Error) => err.write(`${errorStack(error)}\n`);
  const state = new DevState();
  const builder = new Builder(root, onError);
  await using changes = await watchData(root);
  using server = await serveDev(state, port);
  let notes: readonly string[] = [];
  for (let round = 0; ; round++) {
    const started = performance.now();
    const result = await builder.build();
    const seconds = (performance.now() - started) / 1000;
    if ('gate' in result) tellGood(result, seconds);
    else if (result.faults !== state.faults) err.write(`${result.faults}\n`);
    state.take(result);
    if (round === 0) err.write(`Listening on ${server.url}\n`);
    await changes.next('gate' in result || result.isInData ? undefined : AGAIN_MS);
  }

  function tellGood({built}: Good, seconds: number): void {
    for (const note of built.notes) if (!notes.includes(note)) out.write(`${pc.dim(printable(note))}\n`);
    notes = built.notes;
    out.write(`${verdict(built.products.length, built.changes, {root, check: false, seconds})}\n`);
  }
}

const FIRST_PORT = 3000;
const MOST_PORTS = 100;

/** A running server. */
interface Serving extends Disposable {
  readonly url: string;
}

/** Serves the preview on a port, or on the first free one. Throws `InputError` if it cannot listen. */
async function serveDev(state: DevState, port: number | undefined): Promise<Serving> {
  const server = createAdaptorServer({fetch: devApp(state).fetch}) as Server;
  const last = port ?? FIRST_PORT + MOST_PORTS;
  for (let tried = port ?? FIRST_PORT; !(await listens(server, tried, tried === last)); tried++);
  const {port: found} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${found}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns false if the port is in use and there is another one to try. */
async function listens(server: Server, port: number, isLast: boolean): Promise<boolean> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && !isLast) return false;
    const rule = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${code})`;
    throw new InputError({code: 'FZ907', field: '--port', value: port, rule}, {cause});
  }
}
