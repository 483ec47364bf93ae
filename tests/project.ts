import Module from 'node:module';
import {join, resolve} from 'node:path';

/**
 * The folder of the project. Its `data/` and `public/` belong to the publisher. Tests that expect certain figures read
 * the example.
 */
export const PROJECT = resolve(import.meta.dirname, '..');

/** The compiled command. */
export const FROZEN = join(PROJECT, 'dist/frozen.js');

// Builds of test sites do not use the cache of the user.
process.env['XDG_CACHE_HOME'] = join(PROJECT, 'node_modules/.cache');
// `frozen deploy cloudflare` finds wrangler here. Node reads NODE_PATH at its start only, so this process has to read
// it again.
process.env['NODE_PATH'] = join(PROJECT, 'tests/extra/node_modules');
(Module as unknown as {_initPaths(): void})._initPaths();
