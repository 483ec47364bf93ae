/** The file of the site's settings, from the root. */
export const SITE_FILE = 'data/site.json';

/** The folder of all sources, from the root. */
export const SOURCES = 'data/sources';

/** The folders of the output, from the root. */
export const PUBLIC = 'public';
export const RULES = 'paywall/rules';
/** The rules of paid documents, the only source of prices for every host. */
export const RULES_FILE = `${RULES}/rules.json`;
/** The CloudFormation template of AWS. */
export const AWS_TEMPLATE = `${RULES}/aws.template.json`;
/** The configuration of the Worker on Cloudflare. */
export const WRANGLER_FILE = `${RULES}/wrangler.jsonc`;
/** The paths that are not deployed to GitHub Pages. */
export const GITHUB_PAGES_FILE = `${RULES}/github-pages.json`;

/** The working folder of builds, from the root: on the same disk as `public/`, and never served. */
export const WORK = '.build';
/** The folder in which a build stages its files. It exists only during a build. */
export const STAGING = `${WORK}/staged`;

/** True if a path from the root is below `public/`. */
export function isPublic(path: string): boolean {
  return path.startsWith(`${PUBLIC}/`);
}

/** The folders below `/api/v1/` whose documents are free. */
export const FREE_FOLDERS = ['samples', 'schemas', 'history'] as const;

/** `Cache-Control` of documents on every host: free ones may be cached for five minutes, paid ones not at all. */
export const cacheControl = {free: 'public, max-age=300', paid: 'private, no-store'} as const;

/** Content type of every JSON document. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The formats that rows are sold in, with the name for people, content type and extension. */
export const FORMATS = {
  json: {title: 'JSON', type: JSON_TYPE, ending: ''},
  csv: {title: 'CSV', type: 'text/csv; charset=utf-8', ending: '.csv'},
  parquet: {title: 'Parquet', type: 'application/vnd.apache.parquet', ending: '.parquet'},
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

export type DocumentName = keyof typeof ofProduct;

export const paths = {
  ...ofProduct,
  /** The HTML page of a product. */
  page: (name: string) => `/products/${name}.html`,
  catalogue: '/api/v1/index.json',
  signature: '/api/v1/index.json.jws',
} as const;

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Content type of the signature over the catalogue (RFC 7515, 9.2.1). */
export const SIGNATURE_TYPE = 'application/jose';

/** The files with the keys of a site: a JWK set (RFC 7517) and a DID document. */
export const KEYS = {
  jwks: {path: '/.well-known/jwks.json', type: 'application/jwk-set+json'},
  did: {path: '/.well-known/did.json', type: 'application/did+json'},
} as const;

/** The extension of the public copy of a timestamp (RFC 3161). */
export const STAMP_ENDING = '.tsr';
/** Content type of the response of a timestamping authority (RFC 3161, 3.4). */
export const STAMP_TYPE = 'application/timestamp-reply';
/** Matches the paths of all timestamps, in the syntax of hosts. */
export const STAMPS = `/witness/*${STAMP_ENDING}`;

/** Returns the absolute path of the public copy of a proof. Names of sources and dates contain no full stop. */
export function proofPath(source: string, date: string, file: string): string {
  return `/witness/${source}.${date}.${file}`;
}

/** Returns the content type of a proof, by the extension of its path or name. */
export function proofType(name: string): string {
  return name.endsWith(STAMP_ENDING) ? STAMP_TYPE : JSON_TYPE;
}

/** The path on which agents' tools look for paid paths. */
export const OPENAPI = '/openapi.json';

/** The members that distinguish a paid document from the first one of its product. */
interface EditionKey {
  readonly part?: {readonly name: string} | undefined;
  readonly format: Format;
}

/**
 * Returns the name of a format or part of a product, such as `softfail3-europe.csv`. Names of products contain no hyphen, and names of
 * products and parts no full stop, so names are unique on a site.
 */
export function editionName(product: string, {part, format}: EditionKey): string {
  return product + (part ? `-${part.name}` : '') + FORMATS[format].ending;
}

/** Returns the absolute path of a format or part. Its name is the last segment. */
export function editionPath(product: string, edition: EditionKey): string {
  return paths.paid(editionName(product, edition));
}

/** Returns the title of a format or part, such as `Soft Fail 3, part europe, as CSV`. */
export function editionTitle(title: string, {part, format}: EditionKey): string {
  return [
    title,
    ...(part ? [`part ${part.name}`] : []),
    ...(format === 'json' ? [] : [`as ${FORMATS[format].title}`]),
  ].join(', ');
}

/** The path on which a Worker lists its sales for the publisher. Products cannot have this name. */
export const SALES_PATH = '/api/v1/-/sales';

/** The catalogue, from the root. It lists every document and is written last. */
export const CATALOGUE_FILE = PUBLIC + paths.catalogue;

/** The signature over the catalogue's bytes, from the root. Builds do not write it. */
export const SIGNATURE_FILE = PUBLIC + paths.signature;

/**
 * Returns the absolute paths that a catalogue lists: URLs below `base_url` in members `url`, and paths in members `path`. The catalogue may
 * be of another version or edited by hand, so nothing else is assumed about it.
 */
export function namedPaths(catalogue: unknown): string[] {
  const base = String((catalogue as {base_url?: unknown} | null | undefined)?.base_url);
  return textsIn(catalogue).flatMap(([member, text]) => {
    if (member === 'url' && text.startsWith(`${base}/`)) return [text.slice(base.length)];
    return member === 'path' && text.startsWith('/') ? [text] : [];
  });
}

/** Every string member of a JSON value. */
function textsIn(value: unknown): [member: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    typeof inner === 'string' ? [[member, inner] satisfies [string, string]] : textsIn(inner),
  );
}
