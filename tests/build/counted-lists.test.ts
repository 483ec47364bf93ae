import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {build} from '../../build/build.ts';
import {forms, writeListSite, type Form} from '../bench/rows/lists.ts';
import {emptySite} from './site-fixture.ts';
import {assertWork, further, workOf, type Work} from './work.ts';

// Counts the work of a build for each further row of a list, as counted-work.test.ts does for products.

const ROWS = 40_000;

/** The bytes that all threads of this process have read from files, also those of DuckDB. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

interface ListWork {
  readonly work: Work;
  readonly read: number;
  readonly size: number;
}

async function workOver(form: Form, rows: number): Promise<ListWork> {
  await using site = await emptySite();
  const list = await writeListSite(site.root, form, rows);
  const home = await mkdtemp(join(tmpdir(), 'memory-'));
  try {
    const before = bytesRead();
    const work = await workOf(() => build({root: site.root, home}));
    return {work, read: bytesRead() - before, size: statSync(list).size};
  } finally {
    await rm(home, {recursive: true});
  }
}

const skip = process.platform === 'linux' ? false : 'only Linux counts the bytes that a process reads';

/** How often each byte is read: to hash it, to count records before DuckDB reads them, and by DuckDB. */
const TIMES_READ: Readonly<Record<Form['extension'], number>> = {csv: 3, ndjson: 3, parquet: 2};

/** The calls of functions for each row. The counter of records looks at each line end of CSV. */
const CALLS: Readonly<Record<Form['extension'], number>> = {csv: 3, ndjson: 0, parquet: 0};

for (const form of forms)
  test(
    `${form.name}: each further byte of a list is read as often as is needed, and each row needs as few calls`,
    {skip},
    async () => {
      await workOver(form, 10); // Loads the code.
      const [few, many] = [await workOver(form, ROWS), await workOver(form, 2 * ROWS)];
      const none = {stats: 0, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0, processes: 0};
      assertWork({row: further(many.work, few.work, ROWS)}, {row: {...none, calls: CALLS[form.extension]}});
      const times = (many.read - few.read) / (many.size - few.size);
      assert.equal(Math.round(times * 10) / 10, TIMES_READ[form.extension]);
    },
  );
