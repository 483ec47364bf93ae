import type {Field} from '../read/data-package.ts';
import type {Freeze} from '../read/freezes.ts';
import {textsOf} from '../read/missing-values.ts';
import {literals} from './sql.ts';

/** The texts that stand for a missing value in a column: its own list replaces that of the schema. */
export function missingTexts(freeze: Pick<Freeze, 'missing'>, {missingValues}: Field): readonly string[] {
  return missingValues ? textsOf(missingValues) : freeze.missing;
}

/** True if the text of a column may differ from what stands in the file, because a text stands for a missing value. */
export function hasMarkers(freeze: Pick<Freeze, 'missing' | 'format'>, field: Field): boolean {
  return markersOf(freeze, field).length > 0;
}

/**
 * SQL of a text of the file that is NULL if it stands for a missing value.
 *
 * @param text SQL of the text, NULL if nothing stands there
 * @param isText SQL that is true if the value is a text; numbers of JSON are none
 */
export function withoutMissing(
  freeze: Pick<Freeze, 'missing' | 'format'>,
  field: Field,
  text: string,
  isText = 'true',
): string {
  // The reader of CSV makes NULL of every empty value.
  const isEmptyValue = freeze.format === 'csv' && !missingTexts(freeze, field).includes('');
  if (isEmptyValue) return withoutMarkers(freeze, field, `coalesce(${text}, '')`, isText);
  return withoutMarkers(freeze, field, text, isText);
}

function withoutMarkers(
  freeze: Pick<Freeze, 'missing' | 'format'>,
  field: Field,
  text: string,
  isText: string,
): string {
  const markers = markersOf(freeze, field);
  if (markers.length === 0 || isText === 'false') return text;
  const isMarker = `list_contains(${literals(markers)}, ${text})`;
  return `CASE WHEN ${isText === 'true' ? isMarker : `CASE WHEN ${isText} THEN ${isMarker} ELSE false END`} THEN NULL ELSE ${text} END`;
}

function markersOf(freeze: Pick<Freeze, 'missing' | 'format'>, field: Field): readonly string[] {
  return missingTexts(freeze, field).filter(text => freeze.format !== 'csv' || text !== '');
}
