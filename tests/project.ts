import {join, resolve} from 'node:path';

/** The folder of the project. Its `data/` and `public/` are the publisher's: tests that expect certain figures read the example. */
export const PROJECT = resolve(import.meta.dirname, '..');

/** The command, compiled. */
export const FROZEN = join(PROJECT, 'dist/frozen.js');

// What commands remember of the sites of tests is nobody's.
process.env['XDG_CACHE_HOME'] = join(PROJECT, 'node_modules/.cache');
