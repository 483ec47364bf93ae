import {fieldName} from '../../build/read/table-schema.ts';
import {invisibleRule, printable} from '../../shared/printable.ts';

const VALID = new RegExp(fieldName.pattern, 'u');

/** Returns why a text cannot be the name of a column, or undefined if it can. */
export function nameRule(name: string): string | undefined {
  return invisibleRule(name) ?? (VALID.test(name) ? undefined : `is not ${fieldName.description}`);
}

/** Returns names for columns without names: `column1`, `column2`, … */
export function placeholders(count: number): string[] {
  return Array.from({length: count}, (_, index) => `column${index + 1}`);
}

/** The most characters of a name, so that a number can follow. Longer ones end after a word. */
const LONGEST_NAME = 90;

/** Returns valid column names, as close to the header as possible: one line, no invisible characters, all different. */
export function validNames(cells: readonly string[]): string[] {
  const taken = new Set<string>();
  return cells.map((cell, index) => {
    const visible = Array.from(cell.replaceAll(/\s+/g, ' ').trim()).filter(
      character => printable(character) === character && character !== '"',
    );
    const start = visible.slice(0, LONGEST_NAME).join('');
    const name = (visible.length > LONGEST_NAME ? start.replace(/ \S*$/, '') : start).trim();
    const usable = VALID.test(name) ? name : index === 0 ? 'index' : `column${index + 1}`;
    let free = usable;
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${usable}_${number}`;
    taken.add(free.toLowerCase());
    return free;
  });
}
