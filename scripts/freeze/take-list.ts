import {createHash} from 'node:crypto';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {InputError, mapAll} from '../../shared/fault.ts';
import {foldedName} from '../../shared/file-names.ts';
import {headOf} from './content-form.ts';
import {onDisk} from './disk.ts';
import {checkAddress, isAddress, openDownload} from './download.ts';
import {keptName, knownForm, type FileForm} from './file-name.ts';
import type {Limits} from './limits.ts';
import {checkListFile, openListFile, type OpenList} from './list-file.ts';
import type {Progress} from './progress.ts';
import type {Staging} from './staging.ts';

/** A file of the list, as it now stands in the staging folder. */
export interface TakenFile {
  readonly origin: string;
  /** Its name in the freeze. */
  readonly name: string;
  readonly modified: Date;
  readonly address?: string | undefined;
  /** The beginning of the file, unpacked. */
  readonly head: Buffer;
}

/** The files of a list, copied byte for byte. */
export interface TakenList {
  readonly files: readonly TakenFile[];
  readonly form: FileForm;
  readonly bytes: number;
  /** Lower-case hex SHA-256 over the bytes of all files, in order. */
  readonly sha256: string;
}

/** Copies the files of a list into the staging folder. Throws `InputError` where one is missing, empty or not what its name says. */
export async function takeList(
  origins: readonly string[],
  staging: Staging,
  progress: Progress,
  limits: Limits,
): Promise<TakenList> {
  await mapAll(origins, async origin => {
    if (isAddress(origin)) checkAddress(origin);
    else await checkListFile(origin);
  });
  const hash = createHash('sha256');
  const files: TakenFile[] = [];
  let bytes = 0;
  let form: FileForm | undefined;
  for (const origin of origins) {
    const list = await (isAddress(origin) ? openDownload(origin, staging.source, limits) : openListFile(origin));
    try {
      form = sameForm(list, form);
      const name = freeName(list, files);
      const advance = progress.copying(name, list.bytes, isLines(form));
      const head = await takeFile(list, `${staging.freeze}/${name}`, staging.root, form, chunk => {
        hash.update(chunk);
        bytes += chunk.length;
        advance(chunk);
      });
      files.push({origin: list.origin, name, modified: list.modified, address: list.address, head});
    } finally {
      await list.close();
    }
  }
  if (!form) throw new Error('there is no file to take');
  return {files, form, bytes, sha256: hash.digest('hex')};
}

/** Rows are lines, so that they can be counted while they are copied. */
function isLines({format, gzip}: FileForm): boolean {
  return !gzip && (format === 'csv' || format === 'ndjson');
}

async function takeFile(
  list: OpenList,
  file: string,
  root: string,
  form: FileForm,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Buffer> {
  await using target = await onDisk(file, 'written', () => open(join(root, file), 'wx'));
  for await (const chunk of list.chunks) {
    onChunk(chunk);
    await onDisk(file, 'written', () => target.writeFile(chunk));
  }
  return await headOf(root, file, list.origin, form);
}

/** All files of a freeze have one format and packing. */
function sameForm(list: OpenList, first: FileForm | undefined): FileForm {
  const form = knownForm(keptName(list.name), list.origin);
  if (first === undefined || (first.format === form.format && first.gzip === form.gzip && first.tabs === form.tabs))
    return form;
  throw new InputError({file: list.origin, rule: 'is not of the format of the files before it: a freeze has one'});
}

/** The name of a file in the freeze. Throws `InputError` where it is another's, or the descriptor's. */
function freeName({name, origin}: OpenList, files: readonly TakenFile[]): string {
  const kept = keptName(name);
  const other = files.find(file => foldedName(file.name) === foldedName(kept));
  if (other)
    throw new InputError({
      file: origin,
      rule: `would be ${other.name} in the freeze, as ${other.origin} is: rename one`,
    });
  if (foldedName(kept) !== 'datapackage.json') return kept;
  throw new InputError({file: origin, rule: 'has the name of the descriptor that every freeze gets: rename it'});
}
