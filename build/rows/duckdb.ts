import {BOOLEAN, DuckDBScalarFunction, INTEGER, LIST, UBIGINT} from '@duckdb/node-api';

// The native module is the slowest part of a start: whoever needs it imports this file then.
export {DuckDBInstance} from '@duckdb/node-api';

/** Takes over a list of numbers, by the number of the list. */
export type OnNumbers = (list: number, numbers: BigUint64Array<ArrayBuffer>) => void;

/** What DuckDB's vector of lists is where the lists hold numbers: reading millions of those one by one would take long. */
interface NumberLists {
  readonly childVector: {readonly items: BigUint64Array<ArrayBuffer>};
}

/** `taken_over(list, numbers)` in SQL, over an aggregate: `numbers` is the list of the only row. True, or NULL where that is NULL. */
export function takenOverFunction(onNumbers: OnNumbers): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name: 'taken_over',
    parameterTypes: [INTEGER, LIST(UBIGINT)],
    returnType: BOOLEAN,
    volatile: true,
    mainFunction(_, chunk, answer) {
      const {childVector} = chunk.getColumnVector(1) as unknown as NumberLists;
      onNumbers(chunk.getColumnVector(0).getItem(0) as number, childVector.items);
      answer.setItem(0, true);
      answer.flush();
    },
  });
}
