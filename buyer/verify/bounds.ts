// Everything that bounds what a stranger's site can cost; --help tells all of it.

/** Seconds that a request may take, and everything together, where nobody says otherwise. */
export const DEFAULTS = {requestTimeout: 10, totalTimeout: 600} as const;

const MEBIBYTE = 1024 * 1024;

/** The largest document of a product that hosts take is 25 MiB; nothing of more than a little over it is read. */
export const MAX_BYTES = 26 * MEBIBYTE;

/** Catalogue, rules and pages tell of all products: 50,000 of them fill half of this. */
export const MAX_SITE_BYTES = 128 * MEBIBYTE;

/** Of all answers of one site together. */
export const MAX_TOTAL_BYTES = 16 * 1024 * MEBIBYTE;

/** Networks that a site is paid on: every one of them is priced for every product. */
export const MAX_PAYEES = 32;

/** Placeholders in a rule of a `_redirects`, each of which is looked for in every paid path. */
export const MAX_PLACEHOLDERS = 8;

/** For one product, the catalogue or the rules. */
export const MAX_SECONDS = 60;
export const MAX_MEBIBYTES = 1024;

/** A size as --help tells it. */
export function inMebibytes(bytes: number): string {
  return `${bytes / MEBIBYTE} MiB`;
}
