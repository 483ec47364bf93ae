import {once} from 'node:events';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {stringify} from 'csv-stringify';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {Terminal} from '../terminal/command.ts';
import {rowOf} from './columns.ts';
import {figuresOf} from './figures.ts';
import type {Period} from './period.ts';
import type {Totals} from './totals.ts';

type Out = Terminal['out'];

/** Writes a table of CSV (RFC 4180), a row a sale, with names of columns; a cell that a spreadsheet would compute is quoted. */
export async function writeCsv(sales: AsyncIterable<SaleRecord>, out: Out): Promise<void> {
  const rows = Readable.from(mapped(sales, rowOf));
  await pipeline(rows, stringify({header: true, escape_formulas: true, record_delimiter: 'windows'}), async chunks => {
    for await (const chunk of chunks) await write(String(chunk), out);
  });
}

/** Writes one object: the sales, as they are read, and then the figures over all. */
export async function writeJson(
  sales: AsyncIterable<SaleRecord>,
  totals: Totals,
  {source, from, to}: Period & {readonly source: string},
  out: Out,
): Promise<void> {
  const momentText = (moment: number | undefined) => (moment === undefined ? null : new Date(moment).toISOString());
  const about = JSON.stringify({ok: true, source, from: momentText(from), to: momentText(to)});
  await write(`${about.slice(0, -1)},"sales":[`, out);
  let mark = '';
  for await (const sale of sales) {
    await write(`${mark}\n${JSON.stringify(rowOf(sale))}`, out);
    mark = ',';
  }
  await write(`\n],"figures":${JSON.stringify(figuresOf(totals), null, 2)}}\n`, out);
}

async function* mapped<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield map(item);
}

/** Waits for whoever reads, so that what is not read yet is not held in memory. */
async function write(text: string, out: Out): Promise<void> {
  if (out.write(text) === false) await once(process.stdout, 'drain');
}
