import {printable} from '../../shared/printable.ts';
import {errorStack} from '../../shared/error-message.ts';
import {verdict} from '../build/report.ts';
import pc from '../terminal/colours.ts';
import type {Terminal} from '../terminal/command.ts';
import {Builder, type Good, DevState} from './builder.ts';
import {watchData} from './watch.ts';
import {InputError} from '../../shared/fault.ts';
import {devApp} from './app.ts';
import {listen, type Listening} from '../local-chain/listen.ts';

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
  await using server = await serveDev(state, port);
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

/** Serves the preview on a port, or on the first free one. Throws `InputError` if it cannot listen. */
async function serveDev(state: DevState, port: number | undefined): Promise<Listening> {
  const last = port ?? FIRST_PORT + MOST_PORTS;
  for (let tried = port ?? FIRST_PORT; ; tried++)
    try {
      return await listen(devApp(state), tried);
    } catch (cause) {
      const {code = ''} = cause as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && tried !== last) continue;
      const rule = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${code})`;
      throw new InputError({code: 'FZ907', field: '--port', value: tried, rule}, {cause});
    }
}
