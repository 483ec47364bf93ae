import {z} from '@x402/core/schemas';

// A path the gate can serve: nothing in it needs decoding or normalising, so there is nothing to slip past.
const path = z.string().regex(/^(\/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/, 'is not a plain path');
const price = z.string().regex(/^\$\d+(\.\d{1,6})?$/, 'is not $<decimal> with at most six decimals');
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lowercase hex');
const bytes = z.number().int().nonnegative();
const origin = z.string().regex(/^https?:\/\/[^/?#]+$/, 'is not an origin without path and trailing slash');
const accepts = z.array(z.object({network: z.string().regex(/^[a-z0-9-]+:[A-Za-z0-9_-]+$/), pay_to: z.string()}));
const document = z.object({url: z.string(), sha256, bytes});

/** `paywall/rules/rules.json`: what is paid, what it costs and who is paid. */
export const rulesSchema = z.object({
  title: z.string(),
  base_url: origin,
  payment: z.object({accepts, facilitator_url: z.string().url()}),
  rules: z.array(
    z.object({
      name: z.string().regex(/^[a-z0-9]+$/),
      method: z.literal('GET'),
      path,
      price,
      title: z.string(),
      description: z.string(),
      type: z.string(),
      sample: path,
      schema: path,
      example: z.record(z.unknown()),
    }),
  ),
});

/** `public/api/v1/index.json`: every document of the site with its digest. */
export const catalogueSchema = z.object({
  base_url: origin,
  payment: z.object({accepts}),
  products: z.array(
    z.object({
      name: z.string(),
      price,
      sample: document,
      paid: document,
      schemas: z.object({sample: document, paid: document}),
      history: document,
    }),
  ),
  files: z.array(z.object({path, type: z.string(), sha256, bytes})),
});

export type Rules = z.infer<typeof rulesSchema>;
export type Rule = Rules['rules'][number];
export type Catalogue = z.infer<typeof catalogueSchema>;

/** Digest and size of a file as the catalogue lists them. */
export type Listed = Readonly<{sha256: string; bytes: number}>;

/** One path the gate answers. `file` is the path below `public/` that holds its bytes. */
export type Item =
  | {readonly kind: 'free'; readonly file: string; readonly type: string; readonly listed?: Listed}
  | {readonly kind: 'paid'; readonly file: string; readonly rule: Rule; readonly listed: Listed};

export const cataloguePath = '/api/v1/index.json';
const json = 'application/json; charset=utf-8';

/** Every path of the site, and no other: what is not a key here does not exist for the gate. */
export function itemsOf(rules: Rules, catalogue: Catalogue): Map<string, Item> {
  const pathOf = (url: string) => url.slice(catalogue.base_url.length);
  const items = new Map<string, Item>([[cataloguePath, {kind: 'free', file: cataloguePath, type: json}]]);
  for (const {path: file, type, ...listed} of catalogue.files) items.set(file, {kind: 'free', file, type, listed});
  for (const {sample, schemas, history} of catalogue.products) {
    for (const {url, ...listed} of [sample, schemas.sample, schemas.paid, history]) {
      items.set(pathOf(url), {kind: 'free', file: pathOf(url), type: json, listed});
    }
  }
  const home = items.get('/index.html');
  if (home) items.set('/', home);
  for (const rule of rules.rules) {
    const paid = catalogue.products.find(product => product.name === rule.name)?.paid;
    // Nobody may hand out a path with a price, not even a catalogue that lists it among the free files.
    if (paid) items.set(rule.path, {kind: 'paid', file: rule.path, rule, listed: paid});
    else items.delete(rule.path);
  }
  return items;
}
