import {createHash} from 'node:crypto';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError, mapAll, refuse} from '../../shared/fault.ts';
import {foldedName} from '../../shared/file-names.ts';
import {meter} from '../terminal/meter.ts';
import type {StatusLine} from '../terminal/status-line.ts';
import {withFileErrors} from '../../shared/file-errors.ts';
import {checkAddress, isAddress, openDownload} from './download.ts';
import {formOf, keptName, type FileForm} from './file-name.ts';
import {checkListFile, openListFile, placeOf, type OpenList} from './list-file.ts';
import type {Order} from './order.ts';
import type {Staging} from './staging.ts';

/** A file of the list in the staging folder. */
export interface CopiedFile extends Pick<OpenList, 'origin' | 'modified' | 'address'> {
  /** Its name in the freeze. */
  readonly name: string;
  /** The number of lines of the original file that were removed above this one; -1 if a header was added. */
  readonly linesAbove?: number;
}

/** The files of a list, copied byte for byte. */
export interface CopiedList {
  readonly files: readonly CopiedFile[];
  readonly form: FileForm;
  readonly bytes: number;
  /** SHA-256 in lower-case hex over the bytes of all files, in order. */
  readonly sha256: string;
}

/** Copies the files of a list into the staging folder. Throws `InputError` if one is missing or unsuitable. */
export async function copyList(order: Order, {root, folder}: Staging, line: StatusLine): Promise<CopiedList> {
  const {files: origins, source, limits} = order;
  await mapAll(origins, async origin => {
    if (isAddress(origin)) checkAddress(origin);
    else await checkListFile(origin);
  });
  const hash = createHash('sha256');
  const files: CopiedFile[] = [];
  let bytes = 0;
  let form: FileForm | undefined;
  for (const origin of origins) {
    using list = await (isAddress(origin) ? openDownload(origin, source, limits) : openListFile(origin));
    const name = keptName(list.name);
    form = checkedForm(name, list, files, form);
    refuseOptions(order, form);
    const show = meter(line, name, list.bytes);
    const start = bytes;
    const file = `${folder}/${name}`;
    await using target = await withFileErrors(file, 'written', () => open(join(root, file), 'wx'));
    for await (const chunk of list.chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      show(bytes - start);
      await withFileErrors(file, 'written', () => target.writeFile(chunk));
    }
    files.push({origin: list.origin, name, modified: list.modified, address: list.address});
  }
  if (!form) throw new Error('the list of files is empty');
  return {files, form, bytes, sha256: hash.digest('hex')};
}

/** Throws `InputError` for options that do not apply to the format. */
function refuseOptions({delimiter, headerRow, columns, property}: Order, {format}: FileForm): void {
  const options = [
    {field: '--delimiter', value: delimiter, of: 'csv'},
    {field: '--header-row', value: headerRow, of: 'csv'},
    {field: '--columns', value: columns, of: 'csv'},
    {field: '--property', value: property, of: 'json'},
  ];
  const wrong = options.filter(({value, of}) => value !== undefined && of !== format);
  refuse(
    wrong.map(({field, value, of}) => ({code: 'FZ901', field, value, rule: `applies only to ${of.toUpperCase()}`})),
  );
}

/** Returns the format of a file. Throws `InputError` if it differs from that of the other files, or if the name is reserved or taken. */
function checkedForm(
  name: string,
  list: OpenList,
  files: readonly CopiedFile[],
  first: FileForm | undefined,
): FileForm {
  const refused = (rule: string, fix?: string) => new InputError({code: 'FZ121', ...placeOf(list), rule, fix});
  const form = formOf(name);
  if (!form)
    throw refused(
      'has a name that does not end in .csv, .tsv, .ndjson, .jsonl, .json (each also with .gz) or .parquet',
      'If the file has one of these formats, add the extension to its name. Otherwise save the list in one of them.',
    );
  if (first && first.gzip !== form.gzip)
    throw refused(
      'must be compressed if the files before it are, and only then',
      'Compress all files with gzip, or none.',
    );
  if (first && Object.values(first).join() !== Object.values(form).join())
    throw refused('has another format than the files before it, and all files of a freeze have one format');
  const twin = files.find(other => foldedName(other.name) === foldedName(name));
  if (twin?.origin === list.origin) throw refused('is named twice', 'Name it once.');
  if (twin)
    throw refused(`would have the name ${twin.name} in the freeze, as ${twin.origin} does`, 'Rename one of them.');
  if (foldedName(name) !== 'datapackage.json') return form;
  throw refused('has the name of the file that describes a freeze', 'Rename it.');
}
