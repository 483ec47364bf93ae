import {isUtf8} from 'node:buffer';
import type {Fault} from '../../../shared/fault.ts';
import {parseRows} from './json-rows.ts';
import {textLines} from '../lines.ts';
import type {List} from '../list.ts';

/** What is wrong with the text of files that no reader can make rows of: bytes that are not UTF-8, lines that are not JSON. */
export async function brokenText({root, table: {freeze}}: List): Promise<Fault[]> {
  const faults: Fault[] = [];
  const faultOf = {csv: encodingFault, ndjson: jsonFault, json: encodingFault, parquet: undefined}[freeze.format];
  for (const file of faultOf ? freeze.files : []) {
    for await (const {line, text} of textLines(root, file)) {
      const rule = faultOf?.(Buffer.from(text, 'latin1'));
      if (rule !== undefined) faults.push({file, line, rule});
    }
    if (freeze.format !== 'json' || faults.length > 0) continue;
    for (const fault of (await parseRows(root, file)).faults) faults.push(fault);
  }
  return faults;
}

function encodingFault(line: Buffer): string | undefined {
  return isUtf8(line) ? undefined : 'holds bytes that are not UTF-8';
}

function jsonFault(line: Buffer): string | undefined {
  if (!isUtf8(line)) return encodingFault(line);
  const text = line.toString('utf8');
  if (text.startsWith('\ufeff')) return 'starts with a byte order mark: save it without';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object';
    // What is left of an escaped surrogate without its other half is escaped again.
    return /(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value))
      ? 'holds half of a surrogate pair, which UTF-8 cannot hold'
      : undefined;
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}
