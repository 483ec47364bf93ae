import {counted} from '../../../shared/counted.ts';
import {InputError} from '../../../shared/fault.ts';
import {JSON_TYPE, paths} from '../../../shared/paths.ts';
import type {Catalogue} from '../../../shared/shapes.ts';
import {readBounded} from '../bounded-file.ts';
import {MAX_SITE_BYTES} from '../bounds.ts';
import {failed, noted, passed, type Check} from '../check.ts';
import type {Examiner} from '../examiner.ts';
import {readListed} from '../site-reader.ts';
import type {OpenSite} from '../verify-site.ts';
import {chainRewrites, productRewrites, REMEDIES} from './rewrites.ts';
import {explainableChanges} from './explained.ts';

const WHAT = 'since';

/** Reads a saved catalogue. Throws `InputError` if the file is not a catalogue. */
export async function savedCatalogueIn(file: string, examiner: Examiner): Promise<Catalogue> {
  const bytes = await readBounded(file, MAX_SITE_BYTES);
  const {catalogue, checks} = await examiner.examine({type: 'catalogue', subject: file, bytes});
  if (catalogue) return catalogue;
  throw new InputError(
    checks.map(({detail}) => ({
      code: 'FZ619' as const,
      file,
      rule: `is not a catalogue: ${detail.replace(/^is /, 'it is ')}`,
    })),
  );
}

/** Checks that nothing was rewritten since a catalogue was saved. Returns a failure for each rewrite, otherwise one passed check. */
export async function sinceChecks(site: OpenSite, saved: Catalogue): Promise<Check[]> {
  const now = site.catalogue;
  const rewrites = [...productRewrites(saved, now), ...chainRewrites(saved.sources ?? [], now.sources ?? [])];
  const moved = `the address of the site was ${saved.base_url} and is now ${now.base_url}`;
  const checks = [
    ...(saved.base_url === now.base_url ? [] : [noted(WHAT, 'catalogue', moved)]),
    ...rewrites.map(({subject, kind, says}) => failed(WHAT, subject, `${says}: ${REMEDIES[kind]}`)),
    ...(await documentChecks(site, saved)),
  ];
  if (checks.some(({state}) => state === 'failed')) return checks;
  const sources = counted(saved.sources?.length ?? 0, 'chain');
  const fine = `nothing was rewritten of ${counted(saved.products.length, 'product')} and ${sources}`;
  return [...checks, passed(WHAT, 'catalogue', fine)];
}

/** Checks documents whose digest may have changed. All others are unchanged, or failed already. */
async function documentChecks({reader, catalogue, examiner, until}: OpenSite, saved: Catalogue): Promise<Check[]> {
  const {products, base_url} = catalogue;
  const before = new Map(saved.products.map(entry => [entry.name, entry]));
  const held = saved.products.map(({name, price}) => ({name, price}));
  const checks: Check[] = [];
  for (const entry of products) {
    const former = before.get(entry.name);
    if (!former || until.aborted) continue;
    const was = {...former, base_url: saved.base_url, ...(former.kind === 'bundle' && {held})};
    for (const part of explainableChanges(was, {...entry, base_url})) {
      const path = paths[part](entry.name);
      const {bytes, checks: read} = await readListed(reader, path, JSON_TYPE, entry[part]);
      if (!bytes) checks.push(...read.filter(({state}) => state === 'failed'));
      else {
        const examined = await examiner.examine({type: 'since', subject: path, part, bytes, was, base_url});
        const rewritten = (check: Check) => ({...check, detail: `${check.detail}: ${REMEDIES.changed}`});
        checks.push(...examined.checks.map(check => (check.state === 'failed' ? rewritten(check) : check)));
      }
    }
  }
  return checks;
}
