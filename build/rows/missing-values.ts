import type {Field} from '../read/data-package.ts';
import type {Freeze} from '../read/freezes.ts';
import {textsOf} from '../read/missing-values.ts';
import {literals} from './sql.ts';

/** The texts that represent a missing value in a column. The list of the column replaces that of the schema. */
export function missingTexts(freeze: Pick<Freeze, 'missing'>, {missingValues}: Field): readonly string[] {
  return missingValues ? textsOf(missingValues) : freeze.missing;
}

/** True if the text of a column may differ from the file, because one of its texts represents a missing value. */
export function hasMarkers(freeze: Pick<Freeze, 'missing' | 'format'>, field: Field): boolean {
  return markersOf(freeze, field).length > 0;
}

/**
 * SQL for the text of a value, NULL if the text represents a missing value.
 *
 * @param text SQL for the text in the file, NULL if there is no value
 * @param isText SQL that is true if the value is a text, and false for a number in JSON
 */
export function withoutMissing(
  freeze: Pick<Freeze, 'missing' | 'format'>,
  field: Field,
  text: string,
  isText = 'true',
): string {
  // The CSV reader makes NULL of every empty value.
  const isEmptyValue = freeze.format === 'csv' && !missingTexts(freeze, field).includes('');
  const value = isEmptyValue ? `coalesce(${text}, '')` : text;
  const markers = markersOf(freeze, field);
  if (markers.length === 0 || isText === 'false') return value;
  const isMarker = `list_contains(${literals(markers)}, ${value})`;
  return `CASE WHEN ${isText === 'true' ? isMarker : `CASE WHEN ${isText} THEN ${isMarker} ELSE false END`} THEN NULL ELSE ${value} END`;
}

function markersOf(freeze: Pick<Freeze, 'missing' | 'format'>, field: Field): readonly string[] {
  return missingTexts(freeze, field).filter(text => freeze.format !== 'csv' || text !== '');
}
