import {z} from '@x402/core/schemas';
import {accepts, contentType, list, name, origin, plainPath, price, title} from './members.ts';

const fingerprint = {
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not 64 lower-case hexadecimal digits'),
  bytes: z.number().int().nonnegative('is below zero'),
};
const document = z.object({url: z.string(), ...fingerprint});

/** The entry of a product, with each of its documents. */
const entry = z.object({
  name,
  title,
  kind: z.string(),
  as_of: z.string().datetime({precision: 3, message: 'is not a moment such as 2026-05-01T00:00:00.000Z'}),
  price,
  sample: document,
  paid: document.extend({method: z.literal('GET').default('GET')}),
  schemas: z.object({sample: document, paid: document}),
  history: document,
});

/** `public/api/v1/index.json`: every document of the site with its digest. Further members are ignored. */
export const catalogueSchema = z.object({
  title,
  version: z.literal('v1'),
  base_url: origin,
  payment: z.object({accepts}),
  products: list(entry),
  files: list(z.object({path: plainPath, type: contentType, ...fingerprint})),
});

export type Catalogue = Readonly<z.infer<typeof catalogueSchema>>;

/** A product in the catalogue. */
export type Entry = Catalogue['products'][number];

/** What the catalogue says of a document of a product. */
export type ListedDocument = Entry['sample'];

/** A free file that belongs to no product. */
export type ListedFile = Catalogue['files'][number];

/** Digest and size of a file as the catalogue lists them. */
export type Listed = Readonly<Pick<ListedDocument, 'sha256' | 'bytes'>>;
