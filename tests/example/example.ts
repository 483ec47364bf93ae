import {cp, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';
import {build} from '../../build/build.ts';

/**
 * The root of the example site: the three products of the specification and two queries, built from `data/` beside this file into a
 * temporary folder, once for each test file that imports it.
 */
export const EXAMPLE = await mkdtemp(join(tmpdir(), 'example-'));
after(() => rm(EXAMPLE, {recursive: true}));

await cp(join(import.meta.dirname, 'data'), join(EXAMPLE, 'data'), {recursive: true});
await build({root: EXAMPLE, check: false});
