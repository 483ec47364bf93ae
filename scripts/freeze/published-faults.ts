import {basename} from 'node:path';
import {InputError, type Fault} from '../../shared/fault.ts';
import {isAddress} from './download.ts';
import {withEncodings} from './encoding.ts';
import type {TakenList} from './take-list.ts';

/** Returns the errors with the file names of the command line, and with advice for files in another encoding. */
export async function publishedFaults(
  error: InputError,
  root: string,
  {files}: TakenList,
  folder: string,
): Promise<InputError> {
  const longestFirst = files.toSorted((a, b) => b.name.length - a.name.length);
  const rename = (text: string) =>
    longestFirst.reduce((renaming, {name, origin}) => renaming.replaceAll(`${folder}/${name}`, () => origin), text);
  const lineOf = ({file, line}: Fault) => {
    const {linesAbove = 0} = longestFirst.find(({name}) => file === `${folder}/${name}`) ?? {};
    return line === undefined ? {} : {line: line + linesAbove || undefined}; // undefined for a header that was added
  };
  const faults = (await withEncodings(error.faults, root, file => localName({files}, folder, file))).map(fault => ({
    ...fault,
    file: fault.file && rename(fault.file),
    rule: rename(fault.rule),
    fix: fault.fix && rename(fault.fix),
    ...lineOf(fault),
  }));
  return new InputError(faults, {cause: error});
}

/** Returns the name of a staged file for a command on the publisher's machine. For a download, that is the name of the downloaded file. */
function localName({files}: Pick<TakenList, 'files'>, folder: string, file: string): string {
  const taken = files.find(({name}) => file === `${folder}/${name}`);
  return taken && !isAddress(taken.origin) ? taken.origin : basename(file);
}

/** At most this many errors are shown for a column and rule. */
const SHOWN_PER_RULE = 5;

/** Returns the first error for each column, rule and value, up to SHOWN_PER_RULE for a column and rule. The others are counted. */
export function groupedFaults({faults, more}: InputError): {readonly faults: readonly Fault[]; readonly more: number} {
  const groups = new Map<string, Set<string>>();
  const shown = faults.filter(({file, field = '', rule, value}) => {
    const group = JSON.stringify([file, field.replace(/^row \d+ /, ''), rule]);
    const values = groups.get(group) ?? new Set();
    groups.set(group, values);
    const text = JSON.stringify(value ?? null);
    if (values.has(text) || values.size >= SHOWN_PER_RULE) return false;
    values.add(text);
    return true;
  });
  return {faults: shown, more: more + faults.length - shown.length};
}
