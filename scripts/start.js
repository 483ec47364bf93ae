import {join} from 'node:path';
import {load} from './start/compiled.js';

// Commands start here: `node scripts/start.js scripts/build.ts --check` calls the `main` of that source with what follows.

/** A run that takes no longer, as for help, needs few functions: what V8 made of those is not worth keeping. */
const SHORT_MS = 200;

const [source, ...args] = process.argv.slice(2);
const {exports, own, keep} = await load(source);
const began = performance.now();
// Builds are remembered beside the code that made them; where that could not be kept, neither are they.
const surroundings = own && {memory: join(own, 'builds'), worker: new URL('start/worker.js', import.meta.url)};
process.exitCode = await exports.main(args, surroundings);
if (keep && performance.now() - began > SHORT_MS) keep();
