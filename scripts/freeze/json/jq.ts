import {quoted} from '../../../shared/command-line.ts';

/**
 * Returns a jq command that converts a JSON file to a list of rows, for a message.
 *
 * @param file as the publisher names it
 * @param options of jq, such as `-c`
 */
export function jqCommand(file: string, program: string, {options = '', extension = '.json'} = {}): string {
  const [, name = ''] = /([^/]*?)(?:\.[^/.]*)(?:\.gz)?$/.exec(file) ?? [];
  const jq = ['jq', options, quoted(program)].filter(Boolean).join(' ');
  const input = file.endsWith('.gz') ? `gzip -dc ${quoted(file)} | ${jq}` : `${jq} ${quoted(file)}`;
  return `\`${input} > ${quoted(`${name}-rows${extension}`)}\``;
}

/** A number of at least 16 digits, which jq before 1.7 rounds. */
const LONG_NUMBER = /(?<!["\w.])-?\d[\d.]{15}/;

/** Returns a note for a command on a text with numbers that old versions of jq round. */
export function jqNote(text: string): string {
  return LONG_NUMBER.test(text) ? ' (with jq 1.7 or later: earlier ones round long numbers)' : '';
}

/** jq programs: `nulls` replaces NaN and Infinity, the others make rows from various forms of lists. */
export const PROGRAMS = {
  nulls: '(.. | numbers | select(isnan or isinfinite)) |= null',
  texts: '[.[] | {value: .}]',
  lists: '[.[] | to_entries | map({key: "column\\(.key + 1)", value}) | from_entries]',
  named: '.[0] as $c | [.[1:][] | [$c, .] | transpose | map({key: (.[0] | tostring), value: .[1]}) | from_entries]',
  split: '.columns as $c | [.data[] | [$c, .] | transpose | map({key: (.[0] | tostring), value: .[1]}) | from_entries]',
  columnLists: '. as $t | [range($t | to_entries[0].value | length) as $i | $t | map_values(.[$i])]',
  columns: '. as $t | [($t | to_entries[0].value | keys_unsorted[]) as $i | $t | map_values(.[$i])]',
} as const;
