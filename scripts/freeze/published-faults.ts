import {basename} from 'node:path';
import {InputError, type Fault} from '../../shared/fault.ts';
import {isAddress} from './download.ts';
import {withEncodings} from './encoding.ts';
import {placeOf} from './list-file.ts';
import type {Staging} from './staging.ts';
import type {CopiedList} from './copy-list.ts';

/** Runs work on staged files. Its errors get the file names of the command line, and advice for files in another encoding. */
export async function withPublishedFaults<T>(list: CopiedList, staging: Staging, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InputError ? await publishedFaults(error, list, staging) : error;
  }
}

async function publishedFaults(error: InputError, {files}: CopiedList, {root, folder}: Staging): Promise<InputError> {
  const copied = new Map(files.map(file => [`${folder}/${file.name}`, file]));
  const longestFirst = [...copied].sort(([a], [b]) => b.length - a.length);
  const rename = (text: string) =>
    longestFirst.reduce((renaming, [path, {origin}]) => renaming.replaceAll(path, () => origin), text);
  /** The name for a command on the publisher's machine. For a download, that is the name of the downloaded file. */
  const localName = (file: string) => {
    const origin = copied.get(file)?.origin;
    return origin === undefined || isAddress(origin) ? basename(file) : origin;
  };
  const publishedPlace = ({file, line}: Fault) => {
    const from = copied.get(file ?? '');
    return {
      ...(from ? {file: undefined, ...placeOf(from)} : {file: file && rename(file)}),
      line: line && (line + (from?.linesAbove ?? 0) || undefined), // undefined for a header that was added
    };
  };
  const faults = (await withEncodings(error.faults, root, localName)).map(fault => ({
    ...fault,
    rule: rename(fault.rule),
    fix: fault.fix && rename(fault.fix),
    ...publishedPlace(fault),
  }));
  return new InputError(faults, {cause: error});
}

/** At most this many errors are shown for a column and rule. */
const SHOWN_PER_RULE = 5;

/** Returns the first error for each column, rule and value, up to SHOWN_PER_RULE for a column and rule. The others are counted. */
export function groupedFaults({
  faults,
  more,
}: Pick<InputError, 'faults' | 'more'>): Pick<InputError, 'faults' | 'more'> {
  const groups = new Map<string, Set<string>>();
  const shown = faults.filter(({file, url, field = '', rule, value}) => {
    const group = JSON.stringify([file ?? url, field.replace(/^row \d+ /, ''), rule]);
    const values = groups.get(group) ?? new Set();
    groups.set(group, values);
    const text = JSON.stringify(value ?? null);
    if (values.has(text) || values.size >= SHOWN_PER_RULE) return false;
    values.add(text);
    return true;
  });
  return {faults: shown, more: more + faults.length - shown.length};
}
