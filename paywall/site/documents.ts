import type {Listed} from '../../shared/shapes.ts';

/** Where the bytes of the tree come from: a disk on Node, the assets of a Worker. */
export interface Documents {
  /** The whole file at a path below `public/`, or undefined where it cannot be read. Never throws. */
  read(file: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Whether these are the bytes that the catalogue promises. */
export async function isIntact(bytes: Uint8Array<ArrayBuffer>, listed: Listed): Promise<boolean> {
  return bytes.length === listed.bytes && (await sha256(bytes)) === listed.sha256;
}

/** SHA-256 in lowercase hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
}
