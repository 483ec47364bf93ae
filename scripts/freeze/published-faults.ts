import {basename} from 'node:path';
import {InputError, type Fault} from '../../shared/fault.ts';
import {isAddress} from './download.ts';
import {withEncodings} from './encoding.ts';
import type {TakenList} from './take-list.ts';

/** The same faults as a publisher needs them: with the files called as in the command, and with a way out of another encoding. */
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
    return line === undefined ? {} : {line: line + linesAbove || undefined}; // A header that was added has no line.
  };
  const faults = (await withEncodings(error.faults, root, file => localName({files}, folder, file))).map(fault => ({
    ...fault,
    file: rename(fault.file),
    rule: rename(fault.rule),
    ...lineOf(fault),
  }));
  return new InputError(faults, {cause: error});
}

/** What a publisher calls a staged file in a command: if it was downloaded, the name that it has once the publisher downloads it too. */
export function localName({files}: Pick<TakenList, 'files'>, folder: string, file: string): string {
  const taken = files.find(({name}) => file === `${folder}/${name}`);
  return taken && !isAddress(taken.origin) ? taken.origin : basename(file);
}
