import {cp, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';
import {buildExample} from './build-example.ts';

/**
 * The root of the example site: the three products of the specification and two queries, built from the `data/` of this folder. Each test
 * file that imports it has a copy in a temporary folder. `tests/run.ts` builds the site once for all files.
 */
export const EXAMPLE = await mkdtemp(join(tmpdir(), 'example-'));
after(() => rm(EXAMPLE, {recursive: true}));

const shared = process.env['SHARED_EXAMPLE'];
if (shared === undefined) await buildExample(EXAMPLE);
else await cp(shared, EXAMPLE, {recursive: true});
