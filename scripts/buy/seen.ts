import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import {shaped} from '../../shared/shaped.ts';
import {catalogueSchema} from '../../shared/shapes.ts';
import {chainRewrites} from '../verify/since/chain-rewrites.ts';
import {productRewrites} from '../verify/since/product-rewrites.ts';
import {replaceDurably} from './disk.ts';
import type {Offer} from './offer.ts';

const {base_url, products, sources} = catalogueSchema.shape;

const fileSchema = z.object({
  /** Products as they were when they were last bought, or found to be here: origin and address of the site, entry of the catalogue. */
  products: z.array(z.object({site: z.string(), base_url, entry: products.unwrap().element})).readonly(),
  /** The chains of sites. */
  chains: z.array(z.object({site: z.string(), sources})).readonly(),
});

type SeenFile = Readonly<z.infer<typeof fileSchema>>;

const NOTHING: SeenFile = {products: [], chains: []};

/** The last state of each site that a folder of documents bought from: a site that goes back behind it, or rewrites it, is noticed. */
export class Seen {
  readonly #file: string;
  readonly #seen: SeenFile;

  private constructor(file: string, seen: SeenFile) {
    [this.#file, this.#seen] = [file, seen];
  }

  /** Reads what is kept in a folder. Throws `InputError` where it cannot be understood. */
  static async read(folder: string): Promise<Seen> {
    const file = join(folder, 'seen.json');
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      const {code = ''} = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') return JSON.stringify(NOTHING);
      throw new InputError({file, rule: `cannot be read (${code})`}, {cause});
    });
    const read = shaped(fileSchema, parsed(text));
    if ('value' in read) return new Seen(file, read.value);
    const [{path, rule}] = read.misfits;
    const way = 'bring it back, or remove it, and nothing is known of what was seen';
    throw new InputError({file, field: path.join('.'), rule: `${rule}: ${way}`});
  }

  /** Why an offer is behind what was seen, or another: the site went back, or rewrote what it had told. Nothing where it did not. */
  rewritten({site: {origin, catalogue}, entry, file}: Offer): InputError | undefined {
    const before = this.#seen.products.find(one => one.site === origin && one.entry.name === entry.name);
    const {sources: chains = []} = this.#seen.chains.find(({site}) => site === origin) ?? {};
    const now = {base_url: catalogue.base_url, products: [entry]};
    const found = [
      ...(before ? productRewrites({base_url: before.base_url, products: [before.entry]}, now) : []),
      ...chainRewrites(chains, catalogue.sources ?? []),
    ];
    if (found.length === 0) return undefined;
    const rules = found.map(({says}) => `was rewritten since this folder last saw it: ${says}`);
    return new InputError([
      ...rules.map(rule => ({file, rule})),
      {
        file,
        rule: 'was not paid: a cache may hold a former answer, so run this again later; `frozen buy --accept-rewritten` takes it as it is',
      },
    ]);
  }

  /** Keeps what an offer says as what was seen last. */
  async remember({site: {origin, catalogue}, entry}: Offer): Promise<void> {
    const isOther = (one: SeenFile['products'][number]) => one.site !== origin || one.entry.name !== entry.name;
    const seen: SeenFile = {
      products: [...this.#seen.products.filter(isOther), {site: origin, base_url: catalogue.base_url, entry}],
      chains: [
        ...this.#seen.chains.filter(({site}) => site !== origin),
        ...(catalogue.sources ? [{site: origin, sources: catalogue.sources}] : []),
      ],
    };
    const text = `${JSON.stringify(seen, null, 2)}\n`;
    if (text !== `${JSON.stringify(this.#seen, null, 2)}\n`) await replaceDurably(this.#file, text);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported as a file without the right shape
  }
}
