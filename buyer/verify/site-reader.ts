import {sha256} from '../../shared/digest.ts';
import type {Catalogue, Entry, Listed} from '../../shared/shapes.ts';
import {MAX_BYTES} from './bounds.ts';
import type {PaidDocument} from './catalogue.ts';
import {failed, passed, type Check} from './check.ts';

/** A site to read from: a folder, or an origin. */
export interface SiteReader extends Disposable {
  /** As messages show it. */
  readonly name: string;
  /** For so long, files of two deployments may stand side by side. */
  readonly lagMs: number;
  /** How paid documents are handed out here. */
  access(catalogue: Catalogue): Promise<Access>;
  /**
   * Reads a free document.
   *
   * @param type the content type it must have, where there is one
   * @param maxBytes at most so many bytes are read
   */
  read(path: string, type: string, maxBytes: number): Promise<Read>;
  /** Checks that a paid document of a product is asked money for, and that nothing of it is given away. */
  paid(document: PaidDocument, entry: Entry, catalogue: Catalogue): Promise<Check[]>;
  /** Checks that a path holds nothing, on a host that sells nothing. */
  absent(path: string): Promise<Check>;
  /** Checks of the site as a whole. */
  whole(catalogue: Catalogue): Promise<Check[]>;
}

/** Behind a gate paid documents are asked for and not read; without one, and in a folder, they are read like free ones. */
export type Access = 'gated' | 'ungated' | 'folder';

/** What was read, and what was found on the way. */
export interface Read {
  readonly bytes?: Uint8Array;
  readonly checks: readonly Check[];
}

/** Reads a document that the catalogue lists; its bytes are given only where they are those. */
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
  const digest = fault ? failed('bytes', path, fault) : passed('bytes', path, 'size and SHA-256 are in the catalogue');
  return {bytes, checks: [...checks, digest]};
}

/** How bytes differ from what is listed. */
export function digestFault(bytes: Uint8Array, listed: Listed): string | undefined {
  if (bytes.length !== listed.bytes) return `has ${bytes.length} bytes, not the ${listed.bytes} of the catalogue`;
  const digest = sha256(bytes);
  return digest === listed.sha256 ? undefined : `has the SHA-256 ${digest}, not ${listed.sha256} of the catalogue`;
}
