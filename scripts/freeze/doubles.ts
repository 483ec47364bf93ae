import {isHeldByDouble} from '../../build/rows/field-types.ts';
import type {Questions} from '../../build/rows/scan.ts';
import type {RowRule, Table} from '../../build/rows/table.ts';

/**
 * Asks for numbers that no double holds: columns of numbers are kept as doubles, where they have no `scale`.
 *
 * @param isCarried whether the schema is that of the last freeze: one that is inferred gives a `scale` where it can
 */
export function doubles(table: Table, isCarried: boolean): Questions {
  const numbers = table.fields.filter(({type, scale}) => type === 'number' && scale === undefined);
  const advice = isCarried
    ? '--new-schema makes the column one of exact decimals'
    : 'save it as text, to carry it exactly';
  const rule = `has more digits than a double holds: ${advice}`;
  const rules = numbers.map(({name: field}): RowRule => {
    const text = table.text(field);
    return {field, shown: text, broken: `${table.value(field)} IS NOT NULL AND NOT ${isHeldByDouble(text)}`, rule};
  });
  return {measures: [], rules};
}
