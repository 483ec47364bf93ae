import {chunksOf} from '../lines.ts';
import type {List} from '../relation.ts';

const [NEWLINE, RETURN, SPACE, QUOTE] = [10, 13, 32, 34];

/**
 * Throws where a file of CSV ends in a quoted value: all from its quotation mark on DuckDB leaves out, without a word, where it reads
 * with one thread. DuckDB parses; this only follows the quotation marks.
 */
export async function checkClosed({root, table: {freeze}}: List): Promise<void> {
  for (const file of freeze.format === 'csv' ? freeze.files : []) {
    if (await endsQuoted(chunksOf(root, file), freeze.delimiter.charCodeAt(0)))
      throw new Error(`a quotation mark is not closed in ${file}`);
  }
}

async function endsQuoted(chunks: AsyncIterable<Buffer>, separator: number): Promise<boolean> {
  let [quoted, closing, before] = [false, false, NEWLINE];
  for await (const chunk of chunks) {
    let next = 0;
    if (closing) {
      // A quotation mark after a closing one is an escaped one.
      if (chunk[0] === QUOTE) next = 1;
      else quoted = false;
      closing = false;
    }
    for (let mark = chunk.indexOf(QUOTE, next); mark >= 0; mark = chunk.indexOf(QUOTE, next)) {
      next = mark + 1;
      if (!quoted) quoted = [NEWLINE, RETURN, separator].includes(beforeSpaces(chunk, mark) ?? before);
      else if (next === chunk.length) closing = true;
      else if (chunk[next] === QUOTE) next += 1;
      else quoted = false;
    }
    before = beforeSpaces(chunk, chunk.length) ?? before;
  }
  return quoted && !closing;
}

/** The last byte before this one that is no space, over which DuckDB passes before a quoted value. */
function beforeSpaces(chunk: Buffer, end: number): number | undefined {
  let index = end - 1;
  while (chunk[index] === SPACE) index -= 1;
  return chunk[index];
}
