import {printable} from '../../shared/printable.ts';
import {errorStack} from '../../shared/error-message.ts';
import {verdict} from '../build/report.ts';
import pc from '../terminal/colours.ts';
import type {Terminal} from '../terminal/command.ts';
import {Builder, type Good} from './builder.ts';
import {serveDev} from './serve.ts';
import {DevState} from './state.ts';
import {watchData} from './watch.ts';

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
