/** Seconds for which a free document may be shown without asking again. */
const MAX_AGE = 300;

/** `Cache-Control` of a document, the same on every host: no cache keeps what was paid for. */
export const cacheControl = {free: `public, max-age=${MAX_AGE}`, paid: 'private, no-store'} as const;
