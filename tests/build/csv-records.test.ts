import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {CsvRecords} from '../../build/rows/csv-records.ts';
import {RefusedRecord} from '../../build/rows/records.ts';

function recordsIn(...chunks: readonly string[]): number {
  const records = new CsvRecords(',', 2);
  for (const chunk of chunks) records.push(Buffer.from(chunk));
  return records.end().records;
}

describe('spaces before a quotation mark, in chunks that end anywhere', () => {
  for (const chunks of [
    ['a,b\n1,  "x"\n'],
    ['a,b\n1,', '  "x"\n'],
    ['a,b\n1, ', ' "x"\n'],
    ['a,b\n1,  ', '"x"\n'],
    ['a,b\n1,', ' ', ' ', '"x"\n'],
    ['a,b\n  ', '"x",1\n'],
    ['a,b\r\n', '  "x",1\r\n'],
    ['"a" ,  "b"\n'],
  ])
    test(`several are refused: ${JSON.stringify(chunks)}`, () => {
      const isRefused = (error: unknown) => error instanceof RefusedRecord && /several spaces/.test(error.message);
      assert.throws(() => recordsIn(...chunks), isRefused);
    });

  for (const chunks of [
    ['a,b\n1, "x"\n'],
    ['a,b\n1,', ' "x"\n'],
    ['a,b\n1, ', '"x"\n'],
    ['a, b', ' \n "x",1\n'],
    ['a,b  ', '\n"x",1\n'],
    ['a,b  \r', '\n "x",1\n'],
    ['a,b\n"x  ","y"  \n'],
    ['a,b\n"x  ', '  ""","y"\n'],
    ['a,b\n1  ,"x"\n'],
    ['a,b\nx  "y",1\n'],
  ])
    test(`one, and those elsewhere, are accepted: ${JSON.stringify(chunks)}`, () => {
      assert.equal(recordsIn(...chunks), 2);
    });
});
