import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {sha256} from '../../shared/digest.ts';
import {InputError, type Fault} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {shaped} from '../../shared/shaped.ts';
import {catalogueSchema} from '../../shared/shapes.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import type {Examiner} from '../verify/examiner.ts';
import {chainRewrites} from '../verify/since/chain-rewrites.ts';
import {explainableChanges} from '../verify/since/explained.ts';
import {productRewrites} from '../verify/since/product-rewrites.ts';
import {readObject} from '../verify/untrusted-json.ts';
import {makeFolder, replaceDurably} from './disk.ts';
import type {Offer} from './offer.ts';
import {failuresIn, readListed, type Site} from './site.ts';

const {base_url, products, sources} = catalogueSchema.shape;
const entry = products.unwrap().element;
const held = entry.pick({name: true, price: true});
const bundleSample = z.object({documents: z.array(held)});
const chain = sources.unwrap().unwrap().element;

const fileSchema = z.object({
  /** The origin. */
  site: z.string(),
  base_url,
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

/** The maximum size of a remembered state. Longer chains could not be compared later, so nothing is paid to such a site. */
const MOST_BYTES = 32 * 1024 * 1024;

const AFTER_REWRITE =
  'Run the command again later, because a cache may have returned an earlier answer. `frozen buy --accept-rewritten` accepts the change.';

/** The state of a site at the last purchase. The next purchase compares the site with it. */
export class Seen {
  readonly #file: string;
  readonly #seen: SeenSite | undefined;

  private constructor(file: string, seen: SeenSite | undefined) {
    [this.#file, this.#seen] = [file, seen];
  }

  /** Reads the file of one site. Throws `InputError` if it is damaged. */
  static async read(folder: string, origin: string): Promise<Seen> {
    const file = join(folder, 'seen', `${sha256(origin).slice(0, 16)}.json`);
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      const {code = ''} = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new InputError({code: 'FZ611', file, rule: `cannot be read (${code})`}, {cause});
    });
    if (text === undefined) return new Seen(file, undefined);
    const read = shaped(fileSchema, parsedJson(text));
    const fix = 'Restore the file. Without it, this site is not compared with its earlier state.';
    if ('misfits' in read) {
      const [{path, rule}] = read.misfits;
      throw new InputError({code: 'FZ611', file, field: path.join('.'), rule, fix});
    }
    if (read.value.site === origin) return new Seen(file, read.value);
    throw new InputError({
      code: 'FZ611',
      file,
      field: 'site',
      value: read.value.site,
      rule: `is not ${origin}`,
      fix,
    });
  }

  /** Returns errors if the site rewrote its past since then. */
  async rewrites(offer: Offer, examiner: Examiner): Promise<Fault[]> {
    const {site, entry, file} = offer;
    if (this.#after(offer).length > MOST_BYTES)
      return [
        {
          code: 'FZ616',
          file,
          rule: `has a catalogue that takes more than ${MOST_BYTES} bytes in the record of a buyer`,
        },
      ];
    if (!this.#seen) return [];
    const before = {...this.#seen, products: this.#seen.products.filter(({name}) => name === entry.name)};
    const now = {base_url: site.catalogue.base_url, products: [entry]};
    const found = [
      ...productRewrites(before, now).map(({says}) => says),
      ...chainRewrites(this.#seen.chains, site.catalogue.sources ?? []).map(({says}) => says),
      ...(await unexplained(site, before, offer, examiner)),
    ];
    if (found.length === 0) return [];
    const rules = found.map(says => `was rewritten since this folder last saw it: ${says}`);
    return [...rules, 'was not paid'].map(rule => ({code: 'FZ612', file, rule, fix: AFTER_REWRITE}));
  }

  /** Remembers the state of a site after a purchase. */
  async remember(offer: Offer): Promise<void> {
    const text = this.#after(offer);
    if (this.#seen && text === textOf(this.#seen)) return;
    await makeFolder(join(this.#file, '..'));
    await replaceDurably(this.#file, text);
  }

  #after({site: {origin, catalogue}, entry, sample}: Offer): string {
    const others = this.#seen?.products.filter(({name}) => name !== entry.name) ?? [];
    const {documents} = (entry.kind === 'bundle' && bundleSample.safeParse(readObject(origin, sample)).data) || {};
    const seen = {
      site: origin,
      base_url: catalogue.base_url,
      products: [...others, {...entry, held: documents}],
      chains: catalogue.sources ?? [],
    };
    return textOf(fileSchema.parse(seen)); // without the members that are not compared
  }
}

/** Compares documents whose digest may have changed for a legitimate reason. */
async function unexplained(
  site: Site,
  before: Pick<SeenSite, 'base_url' | 'products'>,
  {entry, sample}: Offer,
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
