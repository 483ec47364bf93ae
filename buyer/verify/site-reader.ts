import {sha256} from '../../shared/digest.ts';
import type {Place} from '../../shared/fault.ts';
import type {Catalogue, Entry, Listed} from '../../shared/shapes.ts';
import {MAX_BYTES} from './bounds.ts';
import type {PaidDocument} from './catalogue.ts';
import {failed, passed, type Check} from './check.ts';

/** A site in a folder or at an origin. */
export interface SiteReader extends Disposable {
  /** The name in messages. */
  readonly name: string;
  /** The folder or the address, for errors. */
  readonly place: Place;
  /** True if paid documents must require payment. In a folder, they are read like free ones. */
  readonly isGated: boolean;
  /** Reads a free document with the required content type. */
  read(path: string, type: string, maxBytes: number): Promise<Read>;
  /** Checks that a paid document requires payment, and that nothing of it is revealed. */
  paid(document: PaidDocument, entry: Entry, catalogue: Catalogue): Promise<Check[]>;
  /** Checks that a path does not exist, on a host that sells nothing. */
  absent(path: string): Promise<Check>;
  whole(catalogue: Catalogue): Promise<Check[]>;
}

/** The bytes, if they were readable, and the checks of reading them. */
export interface Read {
  readonly bytes?: Uint8Array;
  readonly checks: readonly Check[];
}

/** Reads a document in the catalogue, and checks its size and digest. */
export async function readListed(
  reader: SiteReader,
  path: string,
  type: string,
  listed: Listed,
  maxBytes = MAX_BYTES,
): Promise<Read> {
  const {bytes, checks} = await reader.read(path, type, maxBytes);
  if (!bytes) return {checks};
  const fault = digestFault(bytes, listed);
  const digest = fault ? failed('bytes', path, fault) : passed('bytes', path, 'size and SHA-256 match the catalogue');
  return {bytes, checks: [...checks, digest]};
}

/** Returns the difference between bytes and their entry in the catalogue, or undefined. */
export function digestFault(bytes: Uint8Array, listed: Listed): string | undefined {
  if (bytes.length !== listed.bytes) return `has ${bytes.length} bytes, not the ${listed.bytes} of the catalogue`;
  const digest = sha256(bytes);
  return digest === listed.sha256 ? undefined : `has the SHA-256 ${digest}, not ${listed.sha256} of the catalogue`;
}
