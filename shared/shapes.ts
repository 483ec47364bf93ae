import {z} from '@x402/core/schemas';
import {lineOfText} from './line-of-text.ts';
import {KEY_PATTERN} from './public-key.ts';
import {priceSchema} from './price.ts';

// The common schemas of catalogue and rules. The messages complete "<member> …".

export const DEFAULT_REDOWNLOAD_DAYS = 30;
export const MOST_REDOWNLOAD_DAYS = 3650;

/** A product's name: a segment of paths, and with `.sample.json` a file name of at most 255 characters. */
const name = z.string().regex(/^[a-z0-9]{1,243}$/, 'is not 1 to 243 lower-case letters and digits');
const sourceName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,254}$/, 'is not the name of a source');
const title = z.string().regex(new RegExp(lineOfText.pattern, 'u'), `is not ${lineOfText.description}`);
/** An absolute path that needs no decoding or normalization, so that no other spelling can bypass a gate. */
const plainPath = z
  .string()
  .max(1000, 'is longer than 1000 characters')
  .regex(/^(\/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/, 'is not a plain absolute path');
const timestamp = z.string().datetime({precision: 3, message: 'is not a time such as 2026-05-01T00:00:00.000Z'});
const price = z
  .string()
  .regex(new RegExp(priceSchema.pattern), 'is not $<decimal> above zero with 1 to 6 decimals, such as $0.02');
const origin = z.string().regex(/^https?:\/\/[^/?#@\s]+$/, 'is not an http(s) origin');
const contentType = z.string().max(200, 'is longer than 200 characters');
/** A payee and its network. */
const payee = z.object({
  network: z.string().regex(/^[a-z0-9-]+:[A-Za-z0-9_-]+$/, 'is not a network in CAIP-2 form'),
  pay_to: z.string(),
});
const accepts = z.array(payee).readonly();

const keyText = z.string().regex(new RegExp(KEY_PATTERN), 'is not 32 bytes in base64url');
/** The key that signs the catalogue. */
export const publicKeySchema = z.object({kid: keyText, x: keyText}).readonly();

const fingerprint = {
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not 64 lower-case hexadecimal digits'),
  bytes: z.number().int().nonnegative('is below zero'),
};
const document = z.object({url: z.string(), ...fingerprint});

/** A proof of a third party that a freeze existed: its public copy and its kind. Later versions may add kinds. */
const proof = document.extend({kind: z.string()});

/** A freeze in the chain of its source. */
const link = z.object({
  date: z.string().regex(/^\d{4}-\d\d-\d\d$/, 'is not a date such as 2026-05-01'),
  as_of: timestamp,
  descriptor: fingerprint.sha256,
  previous: fingerprint.sha256.optional(),
  proofs: z.array(proof).readonly().optional(),
});

/** For how many days a buyer can download a document again. 0 disables it. */
const redownloadDays = z.number().int().min(0, 'is below 0').max(MOST_REDOWNLOAD_DAYS).default(DEFAULT_REDOWNLOAD_DAYS);

/** A part of the rows of a product. */
const part = z.object({
  /** In paths it follows the name of the product and a hyphen. */
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is not lower-case letters and digits, joined by single hyphens'),
  number: z.number().int().positive('is not above zero'),
  of: z.number().int().positive('is not above zero'),
  /** The rows in it, for people: `region Europe`, `rows 1 to 10000`. */
  holds: z.string(),
});

/** A further paid document of a product for the same price: a part of the rows, or another format. */
const edition = document.extend({
  method: z.literal('GET').default('GET'),
  format: z.enum(['json', 'csv', 'parquet']),
  type: contentType,
  rows: z.number().int().nonnegative('is below zero'),
  part: part.optional(),
});

/** A column: its type, and its description. */
const column = z.object({
  name: z.string(),
  /** Its type in Parquet files. */
  type: z.enum(['boolean', 'integer', 'number', 'string']),
  title: z.string().optional(),
  description: z.string().optional(),
  unit: z.string().optional(),
});

/** A source of a product: its title, description, licences and origin. */
const source = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  licenses: z
    .array(z.object({name: z.string(), title: z.string(), path: z.string()}).partial())
    .readonly()
    .optional(),
  sources: z
    .array(z.object({title: z.string(), path: z.string()}).partial())
    .readonly()
    .optional(),
});

/** How many later snapshots of a product a sale includes. */
const next = z.number().int().positive('is not above zero');

/** The entry of a product, with each of its documents. */
const entry = z.object({
  name,
  title,
  kind: z.string(),
  as_of: timestamp,
  /** When a newer snapshot is due. */
  next_expected: timestamp.optional(),
  price,
  /** The price in dollars. For calculations use the text or the atomic units of the 402 response, because a double may not be exact. */
  usd: z.number().optional(),
  /** Present if a sale includes later snapshots. */
  pass: z.object({next}).optional(),
  sample: document,
  paid: document.extend({
    method: z.literal('GET').default('GET'),
    /** Number of rows. Absent in documents without rows. */
    rows: edition.shape.rows.optional(),
  }),
  schemas: z.object({sample: document, paid: document}),
  history: document,
  /** Present if a product is sold in parts or further formats. */
  editions: z.array(edition).readonly().optional(),
  /** The columns of CSV and Parquet files, if there are such files. */
  columns: z.array(column).readonly().optional(),
  /** The sources of the product. Absent if they have neither title, description, licence nor origin. */
  sources: z.array(source).readonly().optional(),
});

/** `public/api/v1/index.json`: every document of the site with its digest. Further members are ignored. */
export const catalogueSchema = z.object({
  title,
  version: z.literal('v1'),
  base_url: origin,
  payment: z.object({accepts}),
  redownload_days: redownloadDays,
  /** Present if the site signs: the key of the signature `index.json.jws`. */
  signing: publicKeySchema.optional(),
  products: z.array(entry).readonly(),
  files: z.array(z.object({path: plainPath, type: contentType, ...fingerprint})).readonly(),
  /** The sources with a freeze chain or proofs, with every freeze, oldest first. */
  sources: z
    .array(z.object({name: sourceName, freezes: z.array(link).readonly()}))
    .readonly()
    .optional(),
});

export type Catalogue = Readonly<z.infer<typeof catalogueSchema>>;

/** A source of a product in the catalogue. */
export type ListedSource = Readonly<z.infer<typeof source>>;

/** A product in the catalogue. */
export type Entry = Catalogue['products'][number];

/** A further paid document of a product in the catalogue. */
export type ListedEdition = NonNullable<Entry['editions']>[number];

/** A column of CSV and Parquet files in the catalogue. */
export type ListedColumn = NonNullable<Entry['columns']>[number];

/** A freeze in the catalogue. */
export type ListedFreeze = NonNullable<Catalogue['sources']>[number]['freezes'][number];

export type ListedProof = NonNullable<ListedFreeze['proofs']>[number];

/** A document of a product in the catalogue. */
export type ListedDocument = Entry['sample'];

/** A paid document in the catalogue. */
export type SoldDocument = ListedDocument & {
  readonly rows?: number | undefined;
  readonly part?: ListedEdition['part'];
};

/** Returns every paid document of a product, the first one first. */
export function soldBy({paid, editions = []}: Entry): readonly SoldDocument[] {
  return [paid, ...editions];
}

/** A free file that does not belong to a product. */
export type ListedFile = Catalogue['files'][number];

/** Digest and size of a file in the catalogue. */
export type Listed = Readonly<Pick<ListedDocument, 'sha256' | 'bytes'>>;

const rule = z.object({
  name,
  method: z.literal('GET'),
  /** Absolute path of the paid document, for example `/api/v1/softfail3`. */
  path: plainPath,
  price,
  title,
  description: z.string(),
  /** Content type of the paid document. */
  type: contentType,
  /** Absolute path of the free sample. */
  sample: plainPath,
  /** Absolute path of the paid document's JSON Schema. */
  schema: plainPath,
  /** A pass: a sale includes this many later snapshots. */
  pass: z.object({next}).optional(),
  /** For a bundle: the latest snapshots of each product in it, oldest first. A gate uses them for passes that were sold earlier. */
  snapshots: z.record(z.array(timestamp).readonly()).optional(),
  /** A valid paid document without rows or events, as an example for buyers' programs. Only for JSON. */
  example: z.record(z.unknown()).optional(),
});

/** `paywall/rules/rules.json`: the paid documents, their prices and the payees. */
export const rulesSchema = z.object({
  title,
  base_url: origin,
  payment: z.object({accepts, facilitator_url: z.string().url('is not an absolute address')}),
  redownload_days: redownloadDays,
  signing: publicKeySchema.optional(),
  rules: z.array(rule).readonly(),
  /** The rule files of each host, by its name. */
  hosts: z.record(z.array(z.string()).readonly()).default({}),
});

export type Rules = Readonly<z.infer<typeof rulesSchema>>;

/** An entry of the rules. */
export type RuleEntry = Rules['rules'][number];

/** Method, path and price of a paid path, with the texts for buyers. */
export type Rule = Readonly<Omit<RuleEntry, 'example'>>;
