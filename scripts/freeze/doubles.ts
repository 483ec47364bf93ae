import {isHeldByDouble} from '../../build/rows/field-types.ts';
import type {Questions} from '../../build/rows/scan.ts';
import type {RowRule, Table} from '../../build/rows/table.ts';

/** Asks for numbers that no double holds: columns of numbers are kept as doubles, where they have no `scale`. */
export function doubles(table: Table): Questions {
  const numbers = table.fields.filter(({type, scale}) => type === 'number' && scale === undefined);
  const rule = 'has more digits than a double holds: --new-schema makes the column one of exact decimals';
  const rules = numbers.map(({name: field}): RowRule => {
    const text = table.text(field);
    return {field, shown: text, broken: `${text} IS NOT NULL AND NOT ${isHeldByDouble(text)}`, rule};
  });
  return {measures: [], rules};
}
