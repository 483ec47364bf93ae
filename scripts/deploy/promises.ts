import {join} from 'node:path';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {InputError} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import type {Sites} from '../review/catalogue.ts';
import {findingsOf} from '../review/findings.ts';
import {reviewProducts} from '../review/products.ts';
import type {Finding} from '../review/report.ts';
import {plain} from '../review/words.ts';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {DEFAULTS, MAX_BYTES} from '../../buyer/verify/bounds.ts';
import {Web} from '../../buyer/verify/web.ts';
import {idsOf, readLive, type LiveSite} from './live.ts';

/** What is deployed, and what the publisher said about promises. */
export interface Deploying {
  readonly root: string;
  readonly site: OpenSite;
  /** Whether the host holds an earlier deployment; undefined where it does not tell. */
  readonly wasDeployed: boolean | undefined;
  /** Products, and sources with a chain, whose promises the publisher breaks knowingly. */
  readonly breaking: readonly string[];
}

/** Lines that are shown; the others are counted. */
const SHOWN = 50;

/** Warnings on documents that can only be bought, so that nothing but their digests is compared. */
const OF_PAID_DOCUMENTS: readonly Finding['code'][] = ['paid-unseen', 'edition-gone', 'edition-changed'];

/**
 * Compares what would be deployed with what is live at `base_url`, as `frozen review` compares two revisions, and returns what to tell of
 * it. Throws `InputError` with every promise to buyers that would be broken, and where what is live cannot be read though something was
 * deployed.
 */
export async function promiseNotes(deploying: Deploying): Promise<string[]> {
  const {base_url} = deploying.site.catalogue;
  using web = new Web(base_url, DEFAULTS.requestTimeout, AbortSignal.timeout(DEFAULTS.totalTimeout * 1000));
  const live = await readLive(web);
  if (live.kind === 'nothing') return [`promises to buyers: none yet, nothing is live at ${base_url}: ${live.why}`];
  if (live.kind === 'unreadable') return uncompared(deploying, live.why);
  refuseUnknown(deploying, live.catalogue);
  const found = await findings(deploying, live).catch((error: unknown) => {
    if (error instanceof InputError) return error;
    throw error;
  });
  // A site is live there, whatever this host holds of it.
  if (found instanceof InputError) return uncompared({...deploying, wasDeployed: true}, found.message);
  return told(deploying, found);
}

async function findings({root, site: {catalogue, rules}}: Deploying, live: LiveSite): Promise<Finding[]> {
  const read = (path: string) => readBounded(join(root, path), MAX_BYTES);
  const sites: Sites = {
    // The rules are not live. What they hold is no promise: prices may change.
    before: {
      state: live.state,
      catalogue: completed(live.catalogue),
      rules: {payment: rules.payment, rules: [], hosts: {}},
    },
    after: {
      state: {name: 'the build', place: '', ids: idsOf(catalogue), read},
      catalogue: completed(catalogue),
      rules,
    },
    withheld: true,
  };
  return findingsOf(sites, await reviewProducts(sites, 0, () => undefined));
}

/** A catalogue with the members that products may leave out. */
function completed(catalogue: Catalogue): Sites['after']['catalogue'] {
  const products = catalogue.products.map(entry => {
    const {editions = [], columns = [], pass = {next: 0}} = entry;
    return {...entry, editions, columns: columns.map(({name, type = ''}) => ({name, type})), pass};
  });
  const {signing = {kid: ''}, sources = []} = catalogue;
  return {...catalogue, products, signing, sources};
}

/** Notes on promises that are broken knowingly, or kept; throws for the others. */
function told({site, breaking}: Deploying, findings: readonly Finding[]): string[] {
  const broken = findings.filter(({severity}) => severity === 'broken');
  const refused = broken.filter(({product, source}) => !breaking.includes(product ?? source ?? ''));
  const faults = refused.map(({product, source, says}) => ({
    file: site.catalogue.base_url + (product === undefined ? paths.catalogue : paths.paid(product)),
    rule: `a promise to buyers would be broken: ${plain(says)} (--break-promises ${product ?? source} deploys it all the same)`,
  }));
  if (faults.length > 0) throw new InputError(faults.slice(0, SHOWN), {more: Math.max(0, faults.length - SHOWN)});
  const ofPaid = findings.filter(({code}) => OF_PAID_DOCUMENTS.includes(code));
  const kept = ofPaid.length > 0 ? 'kept, as far as free documents tell' : 'kept';
  return [
    ...broken.map(({says}) => `a promise to buyers is broken: ${plain(says)}`),
    ...ofPaid.map(({says}) => plain(says)),
    ...(broken.length > 0
      ? []
      : [`promises to buyers: ${kept}, compared with what is live at ${site.catalogue.base_url}`]),
  ];
}

/** A first deployment has no promises to keep; of another one the publisher has to say that nothing is compared. */
function uncompared({site, wasDeployed, breaking}: Deploying, why: string): string[] {
  const {base_url, products} = site.catalogue;
  const isMeant = products.length > 0 && products.every(({name}) => breaking.includes(name));
  if (wasDeployed === false || isMeant)
    return [`promises to buyers: not compared with what is live at ${base_url}: ${why}`];
  const rule = `cannot be compared with what is deployed, so promises to buyers may break: ${why}; try again, or name every product with --break-promises`;
  throw new InputError({file: base_url, rule});
}

function refuseUnknown({site, breaking}: Deploying, live: OpenSite['catalogue']): void {
  const named = [site.catalogue, live].flatMap(({products, sources = []}) => [...products, ...sources]);
  const known = new Set(named.map(({name}) => name));
  const unknown = breaking.filter(name => !known.has(name));
  if (unknown.length === 0) return;
  throw new InputError(
    unknown.map(value => ({file: '--break-promises', value, rule: 'is neither a product nor a source, live or here'})),
  );
}
