import {invisibleRule} from '../../shared/printable.ts';
import type {JsonPath, Violation} from './validator.ts';

/** Members whose texts are values of a list, which may have any characters: classes of a product and of a column, and missing values. */
const VALUES =
  /^(class|resources\.\d+\.schema\.(missingValues|fields\.\d+\.(example|constraints\.enum|missingValues)))(\.|$)/;

/** The texts and names of members in a file that a publisher writes which have an invisible character. */
export function invisibleTexts(value: unknown, path: JsonPath = []): Violation[] {
  if (VALUES.test(path.join('.'))) return [];
  if (typeof value === 'string') {
    const rule = invisibleRule(value);
    return rule === undefined ? [] : [{path, value, rule}];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => invisibleTexts(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const rule = invisibleRule(name);
    const at = [...path, name];
    return [...(rule === undefined ? [] : [{path: at, value: undefined, rule}]), ...invisibleTexts(member, at)];
  });
}
