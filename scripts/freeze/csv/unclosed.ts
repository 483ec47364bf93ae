import {InputError} from '../../../shared/fault.ts';
import {recordStarts} from '../../../build/rows/lines.ts';

/** Returns the error for a CSV file that ends within a quoted value. It names the line on which the last record starts. */
export async function unclosedFault(root: string, file: string, delimiter: string): Promise<InputError> {
  let line: number | undefined;
  for await (const start of recordStarts(root, file, delimiter, 0)) line = start.line;
  const rule = 'has a quotation mark that is not closed, so that it runs to the end of the file';
  const fix = 'Close it, or write a quotation mark within a value twice.';
  return new InputError({code: 'FZ105', file, line, field: 'row', rule, fix});
}
