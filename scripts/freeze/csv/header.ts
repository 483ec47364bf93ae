import {isUtf8} from 'node:buffer';
import {InputError} from '../../../shared/fault.ts';
import {TOO_MANY_COLUMNS, MAX_COLUMNS} from '../../../build/read/limits.ts';
import {NOT_UTF8} from '../../../build/rows/faults/in-text.ts';
import {headOf} from './delimiter.ts';
import {headerFault, type DeclaredHeader} from './header-fault.ts';

/**
 * Returns the header at the beginning of a CSV file: its delimiter and the names of the columns. Throws `InputError` if it is missing, if
 * the first line is probably not a header, or if the delimiter is ambiguous.
 *
 * @param head the beginning of the file
 * @param isWhole true if that is the whole file
 */
export function headerIn(head: Buffer, isWhole: boolean, file: string, declared: DeclaredHeader) {
  const lineEnd = head.findIndex(byte => byte === 0x0a || byte === 0x0d);
  // Without a line end, the beginning of a longer file may end within a character. It is refused below.
  const line = lineEnd >= 0 ? head.subarray(0, lineEnd) : isWhole ? head : undefined;
  if (line && !isUtf8(line)) throw new InputError({code: 'FZ104', file, line: 1, rule: NOT_UTF8});
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  const cut = headOf(file, text, isWhole, declared);
  const [first] = cut.records;
  if (first?.isClosed === true && first.end === text.length && !isWhole) {
    const rule = 'is not the header of a CSV file (RFC 4180): it does not end';
    throw new InputError({code: 'FZ106', file, line: 1, rule});
  }
  const names = first?.cells ?? [];
  const isExpected = declared.expected && names.join('\n') === declared.expected.join('\n');
  const fault = isExpected ? undefined : headerFault(text, cut, declared);
  if (fault) throw new InputError({code: 'FZ106', file, ...fault});
  if (names.length <= MAX_COLUMNS) return {delimiter: cut.delimiter, names};
  throw new InputError({...TOO_MANY_COLUMNS, file, line: 1, field: String(names.length)});
}
