import {join} from 'node:path';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {InputError} from '../../shared/fault.ts';
import {paths, PUBLIC} from '../../shared/paths.ts';
import {findingsOf} from '../review/findings.ts';
import {reviewProducts} from '../review/products.ts';
import type {Finding} from '../review/report.ts';
import {plain} from '../review/words.ts';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {DEFAULTS, MAX_BYTES, MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {Web, NoAnswer} from '../../buyer/verify/web.ts';
import {sha256} from '../../shared/digest.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import type {ComparedSite, State} from '../review/state.ts';
import {documentsOf, readCatalogue} from '../../buyer/verify/catalogue.ts';

/** A deployment, and the promises that the publisher decided to break. */
interface Deploying {
  readonly root: string;
  readonly site: OpenSite;
  /** True if the host has an earlier deployment; undefined if it does not report this. */
  readonly wasDeployed: boolean | undefined;
  /** Products, and sources with a chain, whose promises may be broken. */
  readonly breaking: readonly string[];
}

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
  const live = await readLive(web, idsOf(deploying.site.catalogue));
  if (live.kind === 'nothing') return [`promises to buyers: none yet, nothing is live at ${base_url}: ${live.why}`];
  if (live.kind === 'unreadable') return uncompared(deploying, live.why);
  let found: readonly Finding[];
  try {
    const sites = {before: {...live, rules: undefined}, after: localBuildOf(deploying), withheld: true};
    found = findingsOf(sites, await reviewProducts(sites, 0, () => undefined));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // A site is live at this address, even without a deployment on this host.
    return uncompared({...deploying, wasDeployed: true}, error.message);
  }
  return notesOn(deploying, found);
}

function localBuildOf({root, site: {catalogue, rules}}: Deploying): ComparedSite {
  const read = (path: string) => readBounded(join(root, path), MAX_BYTES);
  return {state: {name: 'the build', place: '', ids: idsOf(catalogue), read}, catalogue, rules};
}

/** Returns notes about kept promises and those that the publisher broke deliberately. Throws for all others. */
function notesOn({site, breaking}: Deploying, findings: readonly Finding[]): string[] {
  const broken = findings.filter(({severity}) => severity === 'broken');
  const refused = broken.filter(({product, source}) => !breaking.includes(product ?? source ?? ''));
  const faults = refused.map(({product, source, says}) => ({
    code: 'FZ413' as const,
    url: site.catalogue.base_url + (product === undefined ? paths.catalogue : paths.paid(product)),
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
  const rule = `cannot be compared with what is deployed, so promises to buyers may break: ${why}`;
  const fix = 'Try again, repeat an interrupted deployment first, or name every product with `--break-promises`.';
  throw new InputError({code: 'FZ413', url: base_url, rule, fix});
}

/** The state of an address: a site, nothing, or an answer that is not a readable site. */
type Live =
  | {readonly kind: 'site'; readonly catalogue: Catalogue; readonly state: State}
  | {readonly kind: 'nothing'; readonly why: string}
  | {readonly kind: 'unreadable'; readonly why: string};

/** Error codes for an address without a server: no site is live there. */
const NO_SERVER = ['ENOTFOUND', 'ECONNREFUSED'];

/**
 * Reads the live catalogue. The answer is untrusted: redirects and addresses in it are not followed.
 *
 * @param built the digests of the build
 */
export async function readLive(web: Web, built: ReadonlyMap<string, string>): Promise<Live> {
  // RFC 2606 reserves this domain. A lookup without a network would fail in the same way as for a live site.
  if (/(^|\.)example$/.test(new URL(web.origin).hostname))
    return {kind: 'nothing', why: 'a host under .example cannot exist'};
  const answer = await web.ask({target: paths.catalogue, maxBytes: MAX_SITE_BYTES});
  if (answer instanceof NoAnswer) {
    const {code = ''} = (answer.cause ?? {}) as NodeJS.ErrnoException;
    return {kind: NO_SERVER.includes(code) ? 'nothing' : 'unreadable', why: `it ${answer.message}`};
  }
  const why = `its catalogue answers ${answer.status}`;
  if (answer.status === 404 || answer.status === 410) return {kind: 'nothing', why};
  if (answer.status !== 200) return {kind: 'unreadable', why};
  try {
    const catalogue = readCatalogue(paths.catalogue, answer.bytes);
    return {kind: 'site', catalogue, state: stateOf(web, idsOf(catalogue), built)};
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [{field, rule} = {field: '', rule: ''}] = error.faults;
    return {kind: 'unreadable', why: `its catalogue is of another kind: ${[field, rule].filter(Boolean).join(' ')}`};
  }
}

/** Returns the digests in a catalogue, by file path relative to the root. */
function idsOf({products}: Catalogue): Map<string, string> {
  return new Map(products.flatMap(documentsOf).map(({path, listed}) => [PUBLIC + path, listed.sha256]));
}

function stateOf(web: Web, ids: ReadonlyMap<string, string>, built: ReadonlyMap<string, string>): State {
  return {
    name: web.origin,
    place: `at ${web.origin} `,
    ids,
    async read(file) {
      const path = file.slice(PUBLIC.length);
      const answer = await web.ask({target: path, maxBytes: MAX_BYTES});
      const refuse = (rule: string) => new InputError({code: 'FZ602', url: web.origin + path, rule});
      if (answer instanceof NoAnswer) throw refuse(answer.message);
      if (answer.status !== 200) throw refuse(`answers ${answer.status}`);
      const digest = sha256(answer.bytes);
      // A deployment of this build that was interrupted has replaced documents, but not the catalogue.
      if (digest !== ids.get(file) && digest !== built.get(file))
        throw refuse('is not the document that the live catalogue lists');
      return answer.bytes;
    },
  };
}
