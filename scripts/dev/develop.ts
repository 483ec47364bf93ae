import {printable} from '../../shared/printable.ts';
import {errorStack} from '../../shared/error-message.ts';
import {verdict} from '../build/report.ts';
import pc from '../terminal/colours.ts';
import type {Terminal} from '../terminal/command.ts';
import {Builder, type Good} from './builder.ts';
import {serveDev} from './serve.ts';
import {Stand} from './stand.ts';
import {watchData} from './watch.ts';

/** How often a build is tried again that failed for what lies outside `data/`, such as another build. */
const AGAIN_MS = 1000;

/**
 * Builds the site below `root` whenever `data/` changes, one build after the other, and serves it until the process ends. Rejects with an
 * `InputError` where it cannot listen or watch, and where the folder is gone.
 */
export async function develop(root: string, port: number | undefined, {out, err}: Terminal): Promise<never> {
  const onError = (error: Error) => err.write(`${errorStack(error)}\n`);
  const stand = new Stand();
  const builder = new Builder(root, onError);
  await using changes = await watchData(root);
  using server = await serveDev(stand, port);
  let notes: readonly string[] = [];
  for (let round = 0; ; round++) {
    const started = performance.now();
    const result = await builder.build();
    const seconds = (performance.now() - started) / 1000;
    if ('gate' in result) tellGood(result, seconds);
    else if (result.faults !== stand.faults) err.write(`${result.faults}\n`);
    stand.take(result);
    if (round === 0) err.write(`Listening on ${server.url}\n`);
    await changes.next('gate' in result || result.isInData ? undefined : AGAIN_MS);
  }

  function tellGood({built}: Good, seconds: number): void {
    for (const note of built.notes) if (!notes.includes(note)) out.write(`${pc.dim(printable(note))}\n`);
    notes = built.notes;
    out.write(`${verdict(built.products.length, built.changes, {root, check: false, seconds})}\n`);
  }
}
