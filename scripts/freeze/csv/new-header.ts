import {createHash} from 'node:crypto';
import {createWriteStream} from 'node:fs';
import {rename} from 'node:fs/promises';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {createGzip} from 'node:zlib';
import {InputError} from '../../../shared/fault.ts';
import {inputChunks} from '../../../build/disk/plain-file.ts';
import {chunksOf} from '../../../build/rows/lines.ts';
import {withFileErrors} from '../../../shared/file-errors.ts';
import type {Order} from '../order.ts';
import type {Staging} from '../staging.ts';
import type {CopiedFile, CopiedList} from '../copy-list.ts';
import {headOf} from './delimiter.ts';
import {headBytes} from './head-bytes.ts';
import {csvLine, recordsOf} from './records.ts';

const MARK = '\xef\xbb\xbf';

/**
 * Changes the header of the staged files of a CSV list: removes the lines above it (`--header-row`), and replaces or adds the names
 * (`--columns`). All other bytes are kept. Returns the list with its new size and digest, or the same list if nothing changes.
 */
export async function withNewHeader(order: Order, list: CopiedList, {root, folder}: Staging): Promise<CopiedList> {
  const {headerRow, columns} = order;
  if (columns === undefined && (headerRow ?? 1) === 1) return list;
  const hash = createHash('sha256');
  const files: CopiedFile[] = [];
  let bytes = 0;
  for (const file of list.files) {
    const path = `${folder}/${file.name}`;
    const start = await newStart(order, list, root, path);
    const written = join(root, `${path}.new`);
    const packing = list.form.gzip ? createGzip() : new PassThrough();
    await withFileErrors(path, 'written', async () => {
      await pipeline(changed(root, path, start), packing, createWriteStream(written));
      await rename(written, join(root, path));
    });
    for await (const chunk of inputChunks(root, path, 1 << 18)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    files.push({...file, linesAbove: start.lines});
  }
  return {...list, files, bytes, sha256: hash.digest('hex')};
}

/**
 * Returns how the beginning of a file changes: the offset in the decompressed file from which bytes are kept, the new bytes before them
 * (latin-1), and the number of removed lines, which is -1 if one was added.
 */
async function newStart({headerRow, columns, delimiter}: Order, {form}: CopiedList, root: string, file: string) {
  const {head, isWhole} = await headBytes(root, file);
  const text = head.toString('latin1');
  const [newline = '\n'] = /\r\n|\n|\r/.exec(text) ?? [];
  const line = headerRow ?? 1;
  let from = text.startsWith(MARK) ? MARK.length : 0;
  const lineEnd = /\r\n|\n|\r/g;
  lineEnd.lastIndex = from;
  for (let above = 1; above < line; above++) {
    if (!lineEnd.test(text)) {
      const rule = 'is not one of the first lines of the file';
      throw new InputError({code: 'FZ902', file, field: '--header-row', value: line, rule});
    }
    from = lineEnd.lastIndex;
  }
  if (columns === undefined) return {from, header: '', lines: line - 1};
  const rest = text.slice(from);
  const cut = headOf(file, rest, isWhole, {delimiter: delimiter ?? form.delimiter, expected: undefined});
  const names = recordsOf(columns, ',', 1)[0]?.cells ?? [];
  const [first, second] = cut.records;
  const row = headerRow === undefined ? first : second;
  if (row && row.cells.length !== names.length) {
    const rule = `must have ${row.cells.length} names, one for each value of line ${line + row.line - 1}`;
    throw new InputError({code: 'FZ902', file, field: '--columns', value: columns, rule});
  }
  const header = Buffer.from(csvLine(names, cut.delimiter) + newline).toString('latin1');
  if (headerRow === undefined) return {from, header, lines: -1};
  const end = first?.end ?? 0;
  const lines = line - 1 + (rest.slice(0, end).match(lineEnd)?.length ?? 1) - 1;
  return {from: from + end, header, lines};
}

async function* changed(
  root: string,
  file: string,
  {from, header}: Awaited<ReturnType<typeof newStart>>,
): AsyncGenerator<Buffer> {
  if (header !== '') yield Buffer.from(header, 'latin1');
  let at = 0;
  for await (const chunk of chunksOf(root, file)) {
    const start = Math.max(from - at, 0);
    if (start < chunk.length) yield chunk.subarray(start);
    at += chunk.length;
  }
}
