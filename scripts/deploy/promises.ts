import {join} from 'node:path';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {InputError} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {findingsOf} from '../review/findings.ts';
import {reviewProducts} from '../review/products.ts';
import type {Finding} from '../review/report.ts';
import {plain} from '../review/words.ts';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {DEFAULTS, MAX_BYTES} from '../../buyer/verify/bounds.ts';
import {Web} from '../../buyer/verify/web.ts';
import {idsOf, readLive, type LiveSite} from './live.ts';

/** A deployment, and the promises that the publisher decided to break. */
export interface Deploying {
  readonly root: string;
  readonly site: OpenSite;
  /** True if the host has an earlier deployment; undefined if it does not report this. */
  readonly wasDeployed: boolean | undefined;
  /** Products, and sources with a chain, whose promises may be broken. */
  readonly breaking: readonly string[];
}

/** How many broken promises are shown. */
const SHOWN = 50;

/** Warnings about paid documents, of which only digests can be compared. */
const OF_PAID_DOCUMENTS: readonly Finding['code'][] = ['paid-unseen', 'edition-gone', 'edition-changed'];

/**
 * Compares the build with the live site at `base_url`, as `frozen review` compares two revisions, and returns notes. Throws `InputError`
 * with all broken promises to buyers, and if the live site cannot be read although there is an earlier deployment.
 */
export async function promiseNotes(deploying: Deploying): Promise<string[]> {
  const {base_url} = deploying.site.catalogue;
  using web = new Web(base_url, DEFAULTS.requestTimeout, AbortSignal.timeout(DEFAULTS.totalTimeout * 1000));
  const live = await readLive(web);
  if (live.kind === 'nothing') return [`promises to buyers: none yet, nothing is live at ${base_url}: ${live.why}`];
  if (live.kind === 'unreadable') return uncompared(deploying, live.why);
  refuseUnknown(deploying, live.catalogue);
  let found: readonly Finding[];
  try {
    found = await findings(deploying, live);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // A site is live at this address, even without a deployment on this host.
    return uncompared({...deploying, wasDeployed: true}, error.message);
  }
  return notesOn(deploying, found);
}

async function findings({root, site: {catalogue, rules}}: Deploying, live: LiveSite): Promise<Finding[]> {
  const read = (path: string) => readBounded(join(root, path), MAX_BYTES);
  const sites = {
    before: {state: live.state, catalogue: live.catalogue, rules: undefined},
    after: {state: {name: 'the build', place: '', ids: idsOf(catalogue), read}, catalogue, rules},
    withheld: true,
  };
  return findingsOf(sites, await reviewProducts(sites, 0, () => undefined));
}

/** Returns notes about kept promises and those that the publisher broke deliberately. Throws for all others. */
function notesOn({site, breaking}: Deploying, findings: readonly Finding[]): string[] {
  const broken = findings.filter(({severity}) => severity === 'broken');
  const refused = broken.filter(({product, source}) => !breaking.includes(product ?? source ?? ''));
  const faults = refused.map(({product, source, says}) => ({
    code: 'FZ413' as const,
    file: site.catalogue.base_url + (product === undefined ? paths.catalogue : paths.paid(product)),
    rule: `would break a promise to buyers: ${plain(says)}`,
    fix: `Keep the promise, or use \`--break-promises ${product ?? source}\` to deploy anyway.`,
  }));
  if (faults.length > 0) throw new InputError(faults.slice(0, SHOWN), {more: Math.max(0, faults.length - SHOWN)});
  const ofPaid = findings.filter(({code}) => OF_PAID_DOCUMENTS.includes(code));
  const kept = ofPaid.length > 0 ? 'kept, as far as free documents show' : 'kept';
  return [
    ...broken.map(({says}) => `a promise to buyers is broken: ${plain(says)}`),
    ...ofPaid.map(({says}) => plain(says)),
    ...(broken.length > 0
      ? []
      : [`promises to buyers: ${kept}, compared with what is live at ${site.catalogue.base_url}`]),
  ];
}

/** A first deployment breaks no promise. For a later one, the publisher must confirm that nothing is compared. */
function uncompared({site, wasDeployed, breaking}: Deploying, why: string): string[] {
  const {base_url, products} = site.catalogue;
  const isMeant = products.length > 0 && products.every(({name}) => breaking.includes(name));
  if (wasDeployed === false || isMeant)
    return [`promises to buyers: not compared with what is live at ${base_url}: ${why}`];
  throw new InputError({
    code: 'FZ413',
    subject: base_url,
    rule: `cannot be compared with what is deployed, so promises to buyers may break: ${why}`,
    fix: 'Try again, or name every product with `--break-promises`.',
  });
}

function refuseUnknown({site, breaking}: Deploying, live: OpenSite['catalogue']): void {
  const named = [site.catalogue, live].flatMap(({products, sources = []}) => [...products, ...sources]);
  const known = new Set(named.map(({name}) => name));
  const unknown = breaking.filter(name => !known.has(name));
  if (unknown.length === 0) return;
  throw new InputError(
    unknown.map(value => ({
      code: 'FZ902',
      field: '--break-promises',
      value,
      rule: 'is neither a product nor a source, live or here',
    })),
  );
}
