// The limits for sites, which are untrusted. --help lists them.

/** The default limits in seconds for a request and for all checks. */
export const DEFAULTS = {requestTimeout: 10, totalTimeout: 600} as const;

const MEBIBYTE = 1024 * 1024;

/** Hosts accept documents of up to 25 MiB. This is slightly more. */
export const MAX_BYTES = 26 * MEBIBYTE;

/** Catalogue, rules and pages describe all products. With 50,000 products, they have half of this size. */
export const MAX_SITE_BYTES = 128 * MEBIBYTE;

/** For all answers of a site. */
export const MAX_TOTAL_BYTES = 16 * 1024 * MEBIBYTE;

/** The maximum number of networks of a site. The price of each product is computed for each of them. */
export const MAX_PAYEES = 32;

/** Limits of time and memory for examining one product, the catalogue or the rules. */
export const MAX_SECONDS = 60;
export const MAX_MEBIBYTES = 1024;
