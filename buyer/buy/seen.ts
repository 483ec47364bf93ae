import {dirname, join} from 'node:path';
import {z} from '@x402/core/schemas';
import {sha256} from '../../shared/digest.ts';
import type {Fault} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {catalogueSchema, publicKeySchema} from '../../shared/shapes.ts';
import type {Examiner} from '../verify/examiner.ts';
import {chainRewrites, productRewrites} from '../verify/since/rewrites.ts';
import {explainableChanges} from '../verify/since/explained.ts';
import {readObject} from '../verify/untrusted-json.ts';
import {makeFolder, readRecord, replaceDurably} from './disk.ts';
import {NETWORKS} from './networks.ts';
import type {Offer} from './offer.ts';
import type {Payment, Payments} from './payments.ts';
import {failuresIn, readListed} from './site.ts';

const {base_url, products, sources} = catalogueSchema.shape;
const entry = products.unwrap().element;
const held = entry.pick({name: true, price: true});
const bundleSample = z.object({documents: z.array(held)});
const chain = sources.unwrap().unwrap().element;

const fileSchema = z.object({
  site: z.string(),
  signing: publicKeySchema.optional(),
  base_url,
  /** The payees of all purchases, the last one at the end. Files of earlier builds have none. */
  payees: z.array(z.object({network: z.string(), payTo: z.string()})).default([]),
  /** The products that were paid for, as the catalogue listed them at the last purchase. */
  products: z.array(
    entry
      .pick({
        ...{name: true, title: true, kind: true, as_of: true, price: true},
        ...{sample: true, paid: true, history: true, editions: true},
      })
      /** The prices in the sample of a bundle. */
      .extend({held: z.array(held).optional()}),
  ),
  chains: z.array(
    chain.extend({
      freezes: z.array(chain.shape.freezes.unwrap().element.omit({proofs: true})),
    }),
  ),
});

type SeenSite = Readonly<z.infer<typeof fileSchema>>;

const AFTER_REWRITE =
  'Run the command again later, because a cache may have returned an earlier answer. `frozen buy --accept-rewritten` accepts the change.';

const REMOVE =
  'Restore it from a backup, or remove it: the next purchase then accepts the site, its key and its payee as they are.';

/** The state of a site at the last purchase, even if nothing was paid. The next purchase compares the site with it. */
export class Seen {
  readonly file: string;
  readonly #seen: SeenSite | undefined;

  private constructor(file: string, seen: SeenSite | undefined) {
    [this.file, this.#seen] = [file, seen];
  }

  /** Reads the file of one site. Throws `InputError` if it is damaged. */
  static async read(folder: string, origin: string): Promise<Seen> {
    const file = join(folder, 'seen', `${sha256(origin).slice(0, 16)}.json`);
    const so = 'the site cannot be compared with its earlier state';
    return new Seen(file, await readRecord(file, fileSchema, so, REMOVE));
  }

  get signing(): PublicKey | undefined {
    return this.#seen?.signing;
  }

  /** Returns errors if the site rewrote its past since then, or asks to be paid on another network or to another payee than before. */
  async rewrites(offer: Offer, payments: Payments, examiner: Examiner): Promise<Fault[]> {
    const rewritten = this.#seen ? await rewritesSince(this.#seen, offer, examiner) : [];
    return rewritten.length > 0 ? rewritten : payeeFaults(this.#seen?.payees ?? [], offer, payments);
  }

  async remember({site: {origin, catalogue}, entry, sample, terms}: Offer): Promise<void> {
    const {products = [], payees = []} = this.#seen ?? {};
    const {documents} =
      (entry.kind === 'bundle' && bundleSample.safeParse(readObject({url: origin}, sample)).data) || {};
    const {network, payTo} = terms.requirements;
    // Parsed, to remove the members that are not compared.
    const seen = fileSchema.parse({
      site: origin,
      signing: catalogue.signing,
      base_url: catalogue.base_url,
      payees: [...payees.filter(one => !isSame(one, terms.requirements)), {network, payTo}],
      products: [...products.filter(({name}) => name !== entry.name), {...entry, held: documents}],
      chains: catalogue.sources ?? [],
    });
    const text = textOf(seen);
    if (this.#seen && text === textOf(this.#seen)) return;
    await makeFolder(dirname(this.file));
    await replaceDurably(this.file, text);
  }
}

async function rewritesSince(seen: SeenSite, offer: Offer, examiner: Examiner): Promise<Fault[]> {
  const {site, entry, url} = offer;
  const before = {...seen, products: seen.products.filter(({name}) => name === entry.name)};
  const now = {base_url: site.catalogue.base_url, products: [entry]};
  const rewrites = [...productRewrites(before, now), ...chainRewrites(seen.chains, site.catalogue.sources ?? [])];
  const found = [...rewrites.map(({says}) => says), ...(await unexplained(before, offer, examiner))];
  if (found.length === 0) return [];
  const rules = found.map(says => `was rewritten since this folder last saw it: ${says}`);
  return [...rules, 'was not paid'].map(rule => ({code: 'FZ612', url, rule, fix: AFTER_REWRITE}));
}

type Payee = Pick<Payment, 'network' | 'payTo'>;

/** Returns an error if an offer has another network or payee than all earlier purchases. */
function payeeFaults(remembered: readonly Payee[], {site, url, terms}: Offer, payments: Payments): Fault[] {
  // A payment may have been signed, but not yet remembered.
  const signed = payments.all.filter(one => one.site === site.origin && one.state !== 'unused');
  const before = [...remembered, ...signed];
  const last = before.at(-1);
  if (!last || before.some(one => isSame(one, terms.requirements))) return [];
  const shown = ({network, payTo}: Payee) => `on ${NETWORKS[network] ?? network} to ${payTo}`;
  const rule = `asks to be paid ${shown(terms.requirements)}, but asked to be paid ${shown(last)} before. Nothing was paid now`;
  const fix = 'Ask the publisher. `frozen buy --accept-rewritten` accepts the change.';
  return [{code: 'FZ613', url, rule, fix}];
}

function isSame(one: Payee, other: Payee): boolean {
  return one.network === other.network && one.payTo.toLowerCase() === other.payTo.toLowerCase();
}

/** Compares documents whose digest may have changed for a legitimate reason. */
async function unexplained(
  before: Pick<SeenSite, 'base_url' | 'products'>,
  {site, entry, sample}: Offer,
  examiner: Examiner,
): Promise<string[]> {
  const found: string[] = [];
  for (const was of before.products) {
    const formerly = {...was, base_url: before.base_url};
    for (const part of explainableChanges(formerly, {...entry, base_url: site.catalogue.base_url})) {
      const bytes = part === 'sample' ? sample : await readListed(site, paths.history(entry.name), entry.history);
      const task = {type: 'since', subject: paths[part](entry.name), part, bytes, was: formerly} as const;
      const {checks} = await examiner.examine({...task, base_url: site.catalogue.base_url});
      found.push(...failuresIn(checks).map(({detail}) => detail));
    }
  }
  return found;
}

function textOf(seen: SeenSite): string {
  return `${JSON.stringify(seen)}\n`;
}
