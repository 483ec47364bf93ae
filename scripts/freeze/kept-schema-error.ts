import {NOT_A_CLASS} from '../../build/rows/rules.ts';
import {quoted} from '../../shared/command-line.ts';
import type {ErrorCode} from '../../shared/error-codes.ts';
import {InputError, type Fault} from '../../shared/fault.ts';
import {printable} from '../../shared/printable.ts';
import {groupedFaults} from './published-faults.ts';

/** Errors of a file that another schema would not prevent: its encoding, and broken records of CSV. */
const OF_TEXT: readonly ErrorCode[] = ['FZ104', 'FZ105'];

/** Longer values are more likely texts than classes. */
const LONGEST_CLASS = 64;
const MOST_OPTIONS = 20;

/** Returns the remedy for values that are not classes yet, with a comma after it. Empty without such values. */
function classRemedy({faults, more}: Pick<InputError, 'faults' | 'more'>): string {
  const placeOf = ({field, value}: Fault) => JSON.stringify([field, value]);
  const mistyped = new Set(faults.filter(({code}) => code === 'FZ101').map(placeOf));
  const isClass = ({rule, value}: Fault) =>
    rule.startsWith(NOT_A_CLASS) &&
    typeof value === 'string' &&
    value.length <= LONGEST_CLASS &&
    printable(value) === value;
  const added = faults.filter(fault => isClass(fault) && !mistyped.has(placeOf(fault)));
  const all = added.map(
    ({field = '', value}) => `--add-class ${quoted(`${field.replace(/^row \d+ /, '')}=${String(value)}`)}`,
  );
  const options = [...new Set(all)];
  if (options.length === 0) return '';
  const others = options.length > MOST_OPTIONS || more > 0 ? ' (there may be other new classes)' : '';
  return `add classes with \`${options.slice(0, MOST_OPTIONS).join(' ')}\`${others}, `;
}

/** Returns the errors of a list that must keep the schema of its last freeze, with the remedies in front. */
export function keptSchemaError(cause: InputError, descriptor: string): InputError {
  // A record in which FZ105 was found, such as a second header, has no values to correct or to add.
  const placeOf = ({file, url, line}: Fault) => `${file ?? url}:${line}`;
  const broken = new Set(cause.faults.filter(({code}) => code === 'FZ105').map(placeOf));
  const ofRows = cause.faults.filter(fault => fault.code === 'FZ105' || !broken.has(placeOf(fault)));
  const {faults, more} = groupedFaults({faults: ofRows, more: cause.more});
  const rule = 'has the schema that this list must follow';
  const fix = `Correct the list, ${classRemedy({faults: ofRows, more})}or infer another schema with \`--new-schema\`.`;
  const isOfSchema = faults.some(({code}) => !OF_TEXT.includes(code));
  const heading: Fault[] = isOfSchema ? [{code: 'FZ115', file: descriptor, rule, fix}] : [];
  return new InputError([...heading, ...faults], {more, cause});
}
