/** Where the site is described, from the root. */
export const SITE_FILE = 'data/site.json';

/** The folders of the output, from the root. */
export const PUBLIC = 'public';
export const RULES = 'paywall/rules';
/** What is paid: the one source of prices for every host. */
export const RULES_FILE = `${RULES}/rules.json`;
/** The CloudFormation template of AWS. */
export const AWS_TEMPLATE = `${RULES}/aws.template.json`;
/** The configuration of the Worker on Cloudflare. */
export const WRANGLER_FILE = `${RULES}/wrangler.jsonc`;
/** The paths that stay off GitHub Pages. */
export const GITHUB_PAGES_FILE = `${RULES}/github-pages.json`;

/** The folder that builds work in, from the root: on the same disk as `public/`, and never served. */
export const WORK = '.build';
/** Where a build prepares its files: it is there as long as the build is not done. */
export const STAGING = `${WORK}/staged`;

/** Whether a path from the root is below `public/`. */
export function isPublic(path: string): boolean {
  return path.startsWith(`${PUBLIC}/`);
}

/** The folders below `/api/v1/`, whose documents are free. */
export const FREE_FOLDERS = ['samples', 'schemas', 'history'] as const;

/** `Cache-Control` of a document, the same on every host: a free one may be shown for five minutes, no cache keeps what was paid for. */
export const cacheControl = {free: 'public, max-age=300', paid: 'private, no-store'} as const;

/** Content type of every JSON document. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The formats that rows are sold in: their content types, and how their files end. */
export const FORMATS = {
  json: {type: JSON_TYPE, ending: ''},
  csv: {type: 'text/csv; charset=utf-8', ending: '.csv'},
  parquet: {type: 'application/vnd.apache.parquet', ending: '.parquet'},
} as const;

export type Format = keyof typeof FORMATS;

/** Absolute paths of a product's documents. */
const ofProduct = {
  paid: (name: string) => `/api/v1/${name}`,
  sample: (name: string) => `/api/v1/samples/${name}.json`,
  sampleSchema: (name: string) => `/api/v1/schemas/${name}.sample.json`,
  paidSchema: (name: string) => `/api/v1/schemas/${name}.json`,
  history: (name: string) => `/api/v1/history/${name}.json`,
} as const;

/** A document of a product. */
export type DocumentName = keyof typeof ofProduct;

/** Absolute paths of documents. */
export const paths = {
  ...ofProduct,
  /** The page of a product, for people. */
  page: (name: string) => `/products/${name}.html`,
  catalogue: '/api/v1/index.json',
  signature: '/api/v1/index.json.jws',
} as const;

/** Content type of every page. */
export const HTML_TYPE = 'text/html; charset=utf-8';

/** Content type of the signature over the catalogue (RFC 7515, 9.2.1). */
export const SIGNATURE_TYPE = 'application/jose';

/** Where programs find the keys of a site: as a JWK set (RFC 7517), and as the document of a DID. */
export const KEYS = {
  jwks: {path: '/.well-known/jwks.json', type: 'application/jwk-set+json'},
  did: {path: '/.well-known/did.json', type: 'application/did+json'},
} as const;

/** How the public copy of a proof ends that an authority gave (RFC 3161). */
export const STAMP_ENDING = '.tsr';
/** Content type of what an authority answers: RFC 3161, 3.4. */
export const STAMP_TYPE = 'application/timestamp-reply';
/** The paths of all of them, as hosts write it. */
export const STAMPS = `/witness/*${STAMP_ENDING}`;

/** Absolute path of the public copy of a proof. No name of a source and no date holds a full stop. */
export function proofPath(source: string, date: string, file: string): string {
  return `/witness/${source}.${date}.${file}`;
}

/** Content type of a proof, by how its path or name ends. */
export function proofType(name: string): string {
  return name.endsWith(STAMP_ENDING) ? STAMP_TYPE : JSON_TYPE;
}

/** Where the tools by which agents find paid paths look. */
export const OPENAPI = '/openapi.json';

/** What distinguishes a paid document from the first one of its product. */
interface EditionKey {
  readonly part?: {readonly name: string} | undefined;
  readonly format: Format;
}

/**
 * The name of an edition, a paid document of a product other than its first one, such as `softfail3-europe.csv`. Names of products contain no
 * hyphen, and names of products and parts no full stop, so no two documents of a site have the same name.
 */
export function editionName(product: string, {part, format}: EditionKey): string {
  return product + (part ? `-${part.name}` : '') + FORMATS[format].ending;
}

/** Absolute path of an edition. Its name is the last segment. */
export function editionPath(product: string, edition: EditionKey): string {
  return paths.paid(editionName(product, edition));
}

/** The title of an edition of a product, such as `Soft Fail 3, part europe, as csv`. */
export function editionTitle(title: string, {part, format}: EditionKey): string {
  return [title, ...(part ? [`part ${part.name}`] : []), ...(format === 'json' ? [] : [`as ${format}`])].join(', ');
}

/** Where a Worker lists its sales to the publisher. No product has such a name. */
export const SALES_PATH = '/api/v1/-/sales';

/** The catalogue for programs, from the root: it names every document, and is written last. */
export const CATALOGUE_FILE = PUBLIC + paths.catalogue;

/** The signature over its bytes, from the root: no build writes it. */
export const SIGNATURE_FILE = PUBLIC + paths.signature;

/**
 * The absolute paths that a catalogue names. It may be of another version or edited by hand, so nothing of its shape is taken for
 * granted but that an address is a member `url`, below `base_url`, and a path a member `path`.
 */
export function namedPaths(catalogue: unknown): string[] {
  const base = String((catalogue as {base_url?: unknown} | null | undefined)?.base_url);
  return textsIn(catalogue).flatMap(([member, text]) => {
    if (member === 'url' && text.startsWith(`${base}/`)) return [text.slice(base.length)];
    return member === 'path' && text.startsWith('/') ? [text] : [];
  });
}

/** Every member of a JSON value that is a text. */
function textsIn(value: unknown): [member: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    typeof inner === 'string' ? [[member, inner] satisfies [string, string]] : textsIn(inner),
  );
}
