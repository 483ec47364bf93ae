import Module from 'node:module';
import {join, resolve} from 'node:path';

/** The folder of the project. Its `data/` and `public/` are the publisher's: tests that expect certain figures read the example. */
export const PROJECT = resolve(import.meta.dirname, '..');

/** The command, compiled. */
export const FROZEN = join(PROJECT, 'dist/frozen.js');

// The cache of builds of test sites is not the one of the user.
process.env['XDG_CACHE_HOME'] = join(PROJECT, 'node_modules/.cache');
// `frozen deploy cloudflare` finds wrangler here. Node reads NODE_PATH at its start only, so this process has to read it again.
process.env['NODE_PATH'] = join(PROJECT, 'tests/extra/node_modules');
(Module as unknown as {_initPaths(): void})._initPaths();
