import {basename, dirname, join, resolve} from 'node:path';
import {sha256} from '../../shared/digest.ts';
import {FORMATS, JSON_TYPE, paths} from '../../shared/paths.ts';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {readBounded} from './bounded-file.ts';
import {documentsOf, entryOf, paidOf} from './catalogue.ts';
import {failed, passed, unchecked, type Check} from './check.ts';
import type {Identity} from './examiner-process.ts';
import {MAX_BYTES} from './bounds.ts';
import {recomputedFrom, Session, type CheckOptions} from './session.ts';
import {pinFrom} from './signature/pin.ts';
import {openCatalogue} from './verify-site.ts';
import {digestFault, type SiteReader} from './site-reader.ts';
import {NoAnswer} from './web.ts';

export interface DocumentOptions extends CheckOptions {
  /** The JSON Schema: a file or an address. */
  readonly schema?: string | undefined;
  /** The site whose catalogue lists the document: a folder or an origin. */
  readonly site?: string | undefined;
}

/** True for a file of rows in CSV or Parquet, which has neither a product name nor a JSON Schema. */
export function isRowFile(file: string): boolean {
  return [FORMATS.csv.ending, FORMATS.parquet.ending].some(ending => file.toLowerCase().endsWith(ending));
}

/**
 * Verifies a sample or a paid document: its schema, digest, figures, signatures and texts; with its site also its bytes and its entry in
 * the catalogue. Throws `InputError` if the file is not a document, or is CSV or Parquet and no site is given.
 */
export async function verifyDocument(file: string, options: DocumentOptions = {}): Promise<Check[]> {
  const recomputed = await recomputedFrom(options);
  await using session = new Session(options);
  const {examiner} = session;
  using reader = options.site === undefined ? undefined : await session.openSite(options.site);
  const pinOf = await pinFrom({siteKey: options.siteKey, target: options.site ?? ''});
  const site = reader && (await openCatalogue(reader, {examiner, pinOf}));
  const subject = basename(file);
  const bytes = await readBounded(file, MAX_BYTES);
  if (isRowFile(file)) {
    if (site) return [...site.checks, listedFile(subject, bytes, site.catalogue, reader.name)];
    const rule = 'is missing, and a CSV or Parquet file cannot be checked without it';
    throw wrongUsage({code: 'FZ903', field: '--site', rule});
  }
  const {identity, checks: unreadable} = await examiner.examine({type: 'identity', subject, bytes});
  if (unreadable.length > 0) return [...unreadable];
  if (!identity)
    throw new InputError({
      code: 'FZ606',
      file,
      rule: 'is not a document of a site of this kind, because it has no product name or no `as_of`',
      fix: 'Use `frozen verify receipt` to check a receipt.',
    });
  const entry = site && entryOf(site.catalogue, identity.name);
  const listed = entry
    ? [...site.checks, listedCheck(subject, bytes, identity, entry, reader.name)]
    : [unchecked('bytes', subject, 'use --site to compare it with the catalogue of its site')];
  const schema = await schemaOf(file, identity, {reader, session, schema: options.schema});
  const rows = identity.path === paths.paid(identity.name) ? entry?.paid.rows : undefined;
  const {checks} = await examiner.examine({type: 'document', subject, bytes, schema, rows});
  return [...listed, ...checks, ...(recomputed?.compare(identity.path, bytes) ?? [])];
}

/** Checks that a file without a product name is a paid document in the catalogue. */
function listedFile(subject: string, bytes: Uint8Array, {products}: Catalogue, site: string): Check {
  const digest = sha256(bytes);
  const found = products.flatMap(paidOf).find(({listed}) => listed.sha256 === digest && listed.bytes === bytes.length);
  return found
    ? passed('bytes', subject, `matches ${found.path} in the catalogue of ${site}`)
    : failed('bytes', subject, `is not a paid document in the catalogue of ${site}`);
}

function listedCheck(subject: string, bytes: Uint8Array, identity: Identity, entry: Entry, site: string): Check {
  const {path, part, as_of} = identity;
  const document = [...documentsOf(entry), ...paidOf(entry)].find(one => one.path === path);
  if (!document) return failed('bytes', subject, `is ${path}, which is not in the catalogue of ${site}`);
  const fault = digestFault(bytes, document.listed);
  if (fault === undefined) return passed('bytes', subject, `matches ${path} in the catalogue of ${site}`);
  if (as_of === entry.as_of || typeof as_of !== 'string') return failed('bytes', subject, fault);
  const remedy = part === 'paid' ? ': use the receipt of the purchase to check it' : '';
  const other = `is as of ${as_of}, and the catalogue lists only the snapshot as of ${entry.as_of}${remedy}`;
  return failed('bytes', subject, other);
}

/** Reads the given schema, otherwise the schema of the site, otherwise the one next to the document in the folder of a site. */
async function schemaOf(
  file: string,
  {name, part}: Identity,
  {schema, reader, session}: Pick<DocumentOptions, 'schema'> & {reader: SiteReader | undefined; session: Session},
): Promise<Uint8Array | undefined> {
  if (schema !== undefined)
    return /^https?:\/\//.test(schema) ? fetchSchema(session, schema) : readBounded(schema, MAX_BYTES);
  const wanted = part === 'sample' ? paths.sampleSchema(name) : paths.paidSchema(name);
  if (reader) return (await reader.read(wanted, JSON_TYPE, MAX_BYTES)).bytes;
  const api = part === 'sample' ? dirname(dirname(resolve(file))) : dirname(resolve(file));
  return readBounded(join(api, 'schemas', basename(wanted)), MAX_BYTES).catch((error: unknown) => {
    if (error instanceof InputError) return undefined;
    throw error;
  });
}

async function fetchSchema(session: Session, address: string): Promise<Uint8Array> {
  const fix = 'Correct the address of the schema.';
  if (!URL.canParse(address))
    throw new InputError({code: 'FZ601', subject: shownAddress(address), rule: 'is not an address', fix});
  const {origin, pathname, search} = new URL(address);
  using web = session.openWeb(origin);
  const answer = await web.ask({target: pathname + search});
  if (!(answer instanceof NoAnswer) && answer.status === 200) return answer.bytes;
  const rule = answer instanceof NoAnswer ? answer.message : `answers ${answer.status} instead of a schema`;
  throw new InputError({code: 'FZ601', url: shownAddress(address), rule, fix});
}
