import {BOOLEAN, DOUBLE, DuckDBScalarFunction, LIST} from '@duckdb/node-api';
import {allDistinct} from './distinct.ts';

// The native module is the slowest part of a start: whoever needs it imports this file then.
export {DuckDBInstance} from '@duckdb/node-api';

/** What DuckDB's vector of lists is where the lists hold numbers: reading millions of those one by one would take longer than comparing them. */
interface NumberLists {
  readonly childVector: {readonly items: Float64Array};
}

/** `all_distinct(numbers)` in SQL, over an aggregate: `numbers` is the list of the only row. NULL where that is NULL. */
export function distinctFunction(): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name: 'all_distinct',
    parameterTypes: [LIST(DOUBLE)],
    returnType: BOOLEAN,
    mainFunction(_, chunk, answer) {
      const {childVector} = chunk.getColumnVector(0) as unknown as NumberLists;
      answer.setItem(0, allDistinct(childVector.items));
      answer.flush();
    },
  });
}
