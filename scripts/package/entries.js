import {join, resolve} from 'node:path';

export const PROJECT = resolve(import.meta.dirname, '../..');
export const DIST = join(PROJECT, 'dist');

/** Processes and threads that the command starts, by their names in dist/. */
export const STARTED = {
  'query-process': 'build/kinds/query/child-process.ts',
  'examiner-process': 'buyer/verify/examiner-process.ts',
};

/** All entry points. */
export const ENTRIES = {
  frozen: 'scripts/frozen.ts',
  index: 'scripts/package/index.ts',
  buy: 'scripts/package/buy.ts',
  ...STARTED,
};

/** The gate on Cloudflare, which wrangler bundles with the rules of a site. */
export const WORKER = {'cloudflare-worker': 'paywall/hosts/worker.ts'};
