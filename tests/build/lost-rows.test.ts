import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readFreezes} from '../../build/read/freezes.ts';
import {openDatabase} from '../../build/rows/database.ts';
import {scan} from '../../build/rows/scan.ts';
import {Table} from '../../build/rows/table.ts';
import {emptySite} from './site-fixture.ts';

const fields = [
  {name: 'url', type: 'string'},
  {name: 'class', type: 'string'},
];
const valuesOf = (length: number) => Array.from({length}, (_, n) => ({url: `https://${n}.example/`, class: 'x'}));
const formats: Readonly<Record<string, (rows: ReturnType<typeof valuesOf>) => string>> = {
  csv: rows => `url,class\n${rows.map(row => `${row.url},${row.class}\n`).join('')}`,
  ndjson: rows => rows.map(row => `${JSON.stringify(row)}\n`).join(''),
  json: rows => JSON.stringify(rows),
};

// The records of a long list are not counted from its bytes if the values that were read account for all bytes.
const lists = Object.entries(formats).flatMap(([format, textOf]) =>
  [3, 200_000].map(n => [format, textOf, n] as const),
);

for (const [format, textOf, length] of lists) {
  test(`one of ${length} rows of ${format} that DuckDB omits silently stops the scan`, async () => {
    await using site = await emptySite();
    const values = valuesOf(length);
    const file = `list.${format}`;
    await site.freeze({source: 'list', format, schema: {fields}, files: {[file]: textOf(values)}});
    await site.write(`data/sources/list/2026-05-01/less.${format}`, textOf(values.slice(1)));
    const [freeze] = await readFreezes(site.root, 'list');
    assert.ok(freeze);
    const database = await openDatabase(site.root);
    // DuckDB reads a file without one row. The digest is that of the freeze.
    const lossy = {...database, query: (sql: string) => database.query(sql.replaceAll(file, `less.${format}`))};
    try {
      await scan(database, new Table(freeze), []);
      await assert.rejects(
        scan(lossy, new Table(freeze), []),
        new RegExp(`has ${length} rows, of which ${length - 1} can be read`),
      );
    } finally {
      database.close();
    }
  });
}
