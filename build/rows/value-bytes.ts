import type {Measure, Read, Table} from './table.ts';

/** Measures of how many bytes the values of each column take, without quotation marks. */
export function valueSizes({fields}: Table): Measure<number>[] {
  return fields.map((_, index) => ({sql: `sum(strlen(t${index}))`, decode: Number}));
}

/** How many bytes all values take together. */
export function sizeOfValues(table: Table, read: Read): number {
  return valueSizes(table).reduce((sum, size) => sum + read(size), 0);
}

/** How many of these bytes of CSV neither values are nor the delimiters and line ends after them: headers, quotation marks, and so on. */
export function bytesLeft(table: Table, read: Read, bytes: number): number {
  return bytes - sizeOfValues(table, read) - table.fields.length * read(table.count());
}
