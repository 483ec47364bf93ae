import {counted} from '../../../shared/counted.ts';
import {InputError} from '../../../shared/fault.ts';
import {JSON_TYPE, paths} from '../../../shared/paths.ts';
import type {Catalogue, Entry} from '../../../shared/shapes.ts';
import {readBounded} from '../bounded-file.ts';
import {MAX_SITE_BYTES} from '../bounds.ts';
import {failed, noted, passed, type Check} from '../check.ts';
import type {Examiner} from '../examiner.ts';
import {readListed, type Shelf} from '../shelf.ts';
import {chainRewrites} from './chain-rewrites.ts';
import {isFormer} from './former.ts';
import {productRewrites} from './product-rewrites.ts';

const WHAT = 'since';

/** Reads a catalogue that somebody kept. Throws `InputError` where it is none. */
export async function keptCatalogue(file: string, examiner: Examiner): Promise<Catalogue> {
  const bytes = await readBounded(file, MAX_SITE_BYTES);
  const {catalogue, checks} = await examiner.examine({type: 'catalogue', subject: file, bytes});
  if (catalogue) return catalogue;
  throw new InputError(checks.map(({detail}) => ({file, rule: `is no catalogue: ${detail}`})));
}

/** Checks that nothing was rewritten since a catalogue was kept: a failure for each rewrite, else one check that passed. */
export async function sinceChecks(
  shelf: Shelf,
  now: Catalogue,
  kept: Catalogue,
  {examiner, until}: {readonly examiner: Examiner; readonly until: AbortSignal},
): Promise<Check[]> {
  const chains = chainRewrites(kept.sources ?? [], now.sources ?? []);
  const products = productRewrites(kept, now);
  const found = [...products, ...chains];
  const former = 'the whole catalogue is a former one: it was swapped for what was there, and nothing in it is newer';
  const checks = [
    ...(kept.base_url === now.base_url ? [] : [noted(WHAT, 'catalogue', moved(kept, now))]),
    ...(isFormer(kept, now, found) ? [failed(WHAT, 'catalogue', former)] : []),
    ...products.map(({product, says}) => failed(WHAT, product, says)),
    ...chains.map(({source, says}) => failed(WHAT, source, says)),
    ...(await historyChecks(shelf, now, kept, {examiner, until})),
  ];
  if (checks.some(({state}) => state === 'failed')) return checks;
  const sources = counted(kept.sources?.length ?? 0, 'chain');
  const fine = `nothing was rewritten of ${counted(kept.products.length, 'product')} and ${sources}`;
  return [...checks, passed(WHAT, 'catalogue', fine)];
}

/** The histories of products that have news since; others have their digest in the catalogue. */
async function historyChecks(
  shelf: Shelf,
  {products}: Catalogue,
  kept: Catalogue,
  {examiner, until}: {readonly examiner: Examiner; readonly until: AbortSignal},
): Promise<Check[]> {
  const before = new Map(kept.products.map(entry => [entry.name, entry]));
  const checks: Check[] = [];
  for (const {name, as_of, history} of products) {
    const was = before.get(name);
    if (!was || was.as_of >= as_of || until.aborted) continue;
    checks.push(...(await historyCheck(shelf, {path: paths.history(name), history}, was, examiner)));
  }
  return checks;
}

async function historyCheck(
  shelf: Shelf,
  {path, history}: Pick<Entry, 'history'> & {readonly path: string},
  was: Entry,
  examiner: Examiner,
): Promise<readonly Check[]> {
  const {bytes, checks} = await readListed(shelf, path, JSON_TYPE, history);
  if (!bytes) return checks.filter(({state}) => state === 'failed');
  return (await examiner.examine({type: 'history', subject: path, bytes, was})).checks;
}

function moved({base_url: was}: Catalogue, {base_url: is}: Catalogue): string {
  return `the address of the site was ${was}, and is ${is}`;
}
