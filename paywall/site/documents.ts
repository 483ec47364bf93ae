import {errorMessage} from '../../shared/error-message.ts';
import type {Listed} from '../../shared/shapes.ts';

/** Reads the files of `public/`: from the disk on Node, from the static assets of a Worker. */
export interface Documents {
  /** Returns the whole file at a path below `public/`, or undefined if it cannot be read. Never throws: `onFault` receives the error, if any. */
  read(file: string, onFault?: (error: unknown) => void): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** True if the bytes have the size and the digest that the catalogue lists. */
export async function isIntact(bytes: Uint8Array<ArrayBuffer>, listed: Listed): Promise<boolean> {
  return bytes.length === listed.bytes && (await sha256(bytes)) === listed.sha256;
}

/** Returns the SHA-256 in lower-case hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Says why a file cannot be read, by the code of the system if there is one: `does not exist`, `cannot be read (EACCES)`. */
export function cannotBeRead(error: unknown): string {
  const {code} = error as {readonly code?: unknown};
  if (code === 'ENOENT') return 'does not exist';
  return `cannot be read (${typeof code === 'string' ? code : errorMessage(error)})`;
}
