import type {Dirent} from 'node:fs';
import {readdir, realpath, stat} from 'node:fs/promises';
import {join, posix, sep} from 'node:path';
import type {Link} from '../../shared/chain.ts';
import {sha256} from '../../shared/digest.ts';
import type {ListedSource} from '../../shared/shapes.ts';
import {InputError, mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {isDevice, RESERVED, twinOf, twinsAmong} from '../../shared/file-names.ts';
import {LEADS_OUT, realPathInside} from '../disk/plain-file.ts';
import {chainFaults} from './chain.ts';
import {validateDataPackage, type Format} from './data-package.ts';
import {tableSchemaFaults, type FaultAt, type TableSchema, missingOf} from './table-schema.ts';
import {readJsonText, validated} from './json-file.ts';
import {isTimestamp} from './validator.ts';

/** The names that a source may have. */
export const SOURCE_NAME = '^[a-z0-9][a-z0-9-]*$';

export const sourceName = {
  type: 'string',
  pattern: SOURCE_NAME,
  description: 'the name of a folder in data/sources',
} as const;

const SOURCES = 'data/sources';
const DESCRIPTOR = 'datapackage.json';

/** One dated, never-edited copy of a source. */
export interface Freeze {
  /** The folder of the site. */
  readonly root: string;
  readonly source: string;
  /** Its folder below the root, e.g. `data/sources/deny-list/2026-05-01`. */
  readonly folder: string;
  /** Its descriptor below the root. */
  readonly descriptor: string;
  readonly date: string;
  /** When the list was made. */
  readonly created: string;
  /** The moment the snapshot is fixed at. */
  readonly as_of: string;
  /** Whole hours from `created` to `as_of`, rounded down. */
  readonly age_hours: number;
  /** Files below the root, in the order of the descriptor. */
  readonly files: readonly string[];
  /** Copies for DuckDB of gzip files that it cannot read, unpacked: absolute paths in the order of `files`. */
  readonly unpacked?: readonly string[];
  readonly format: Format;
  readonly delimiter: string;
  /** JSON whose list stands inside an object: the names of the members that lead to it, with a full stop between them. */
  readonly property?: string | undefined;
  /** Size of all files together, in bytes. */
  readonly bytes: number;
  /** Lower-case hex SHA-256 over the bytes of all files, in order. */
  readonly sha256: string;
  /** Number of rows, where the descriptor records it. */
  readonly rows: number | undefined;
  readonly schema: TableSchema | undefined;
  /** The texts that represent a missing value in columns without a list of their own. */
  readonly missing: readonly string[];
  /** Title, description, licences and origin of the source. */
  readonly about: Omit<ListedSource, 'name'>;
  /** Its place in the chain of its source. */
  readonly link: Link;
}

/**
 * Reads the descriptors of all freezes of a source, oldest `as_of` first; there must be one, and their chain must be whole.
 *
 * @param before called with the path of each before it is read
 */
export async function readFreezes(root: string, source: string, before?: (path: string) => void): Promise<Freeze[]> {
  const freezes = await freezesOf(root, source, before);
  refuse(chainFaults(freezes));
  if (freezes.length > 0) return freezes;
  throw new InputError({file: `data/sources/${source}`, rule: 'holds no freeze: make one with `frozen freeze`'});
}

/** Reads the descriptors of all freezes of a source, oldest `as_of` first: the folders are dates, so no two have the same. */
export async function freezesOf(root: string, source: string, before?: (path: string) => void): Promise<Freeze[]> {
  const folder = `data/sources/${source}`;
  const entries = (await entriesIn(root, folder)).filter(({name}) => !name.startsWith('.'));
  refuse(entries.flatMap(entry => folderFaults(folder, entry)));
  const dates = entries.filter(entry => entry.isDirectory()).map(({name}) => name);
  const freezes = await mapAll(dates.sort(), date => {
    before?.(`${folder}/${date}/${DESCRIPTOR}`);
    return readFreeze(root, source, date);
  });
  return freezes.sort((a, b) => (a.as_of < b.as_of ? -1 : 1));
}

async function entriesIn(root: string, folder: string): Promise<Dirent[]> {
  try {
    const home = realPathInside(root, SOURCES);
    if (home === undefined) throw new InputError({file: SOURCES, rule: LEADS_OUT});
    if (!(await realpath(join(root, folder))).startsWith(home + sep))
      throw new InputError({file: folder, rule: 'is a link that leads out of data/sources'});
    return await readdir(join(root, folder), {withFileTypes: true});
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  }
}

/** Files, such as a README, may stand beside the freezes. A link must not: it would be another freeze, or none, in silence. */
function folderFaults(folder: string, entry: Dirent): Fault[] {
  const file = `${folder}/${entry.name}`;
  if (entry.isSymbolicLink()) return [{file, rule: 'is a link: a freeze is a folder'}];
  if (!entry.isDirectory() || isTimestamp(`${entry.name}T00:00:00.000Z`)) return [];
  return [{file, rule: 'is not a date that exists, YYYY-MM-DD, as the folder of a freeze must be'}];
}

/** Whole hours from one moment to a later one, rounded down. */
export function hoursBetween(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / 3_600_000);
}

async function readFreeze(root: string, source: string, date: string): Promise<Freeze> {
  const folder = `data/sources/${source}/${date}`;
  const descriptor = `${folder}/${DESCRIPTOR}`;
  const json = readJsonText(root, descriptor, 'descriptor');
  const {created, as_of, previous, resources, ...rest} = validated(json, validateDataPackage);
  const [resource] = resources;
  const paths = [resource.path].flat();
  const fault: FaultAt = (field, value, rule) => ({file: descriptor, field, value, rule});
  const resourceFault: FaultAt = (field, value, rule) => fault(`resources[0].${field}`, value, rule);
  refuse([
    ...(as_of.startsWith(`${date}T`) ? [] : [fault('as_of', as_of, `is not a moment of the folder's date, ${date}`)]),
    ...(Date.parse(created) > Date.parse(as_of) ? [fault('created', created, `is after as_of, ${as_of}`)] : []),
    ...packingFaults(paths, resource.format, resourceFault),
    ...(resource.dialect?.property !== undefined && resource.format !== 'json'
      ? [resourceFault('dialect.property', resource.dialect.property, 'is for JSON')]
      : []),
    ...(resource.schema ? tableSchemaFaults(resource.schema, resourceFault) : []),
    ...fileNameFaults(paths, resourceFault),
    ...(await pathFaults(join(root, folder), resource.path, resourceFault)),
  ]);
  return {
    root,
    source,
    folder,
    descriptor,
    date,
    created,
    as_of,
    age_hours: hoursBetween(created, as_of),
    files: paths.map(path => posix.join(folder, path)),
    format: resource.format,
    delimiter: resource.dialect?.delimiter ?? ',',
    property: resource.dialect?.property,
    bytes: resource.bytes,
    sha256: resource.hash.slice('sha256:'.length),
    rows: resource.rows,
    schema: resource.schema,
    about: aboutOf({...resource, ...rest}),
    missing: missingOf(resource.schema?.missingValues, resource.format),
    // The text is that of the bytes: others than UTF-8 were refused.
    link: {date, as_of, descriptor: sha256(json.text), ...(previous !== undefined && {previous})},
  };
}

/** Title, description, licences and origin of a source, as far as they are given. */
function aboutOf({title, description, licenses = [], sources = []}: Partial<Freeze['about']>): Freeze['about'] {
  return {
    ...(title !== undefined && {title}),
    ...(description !== undefined && {description}),
    ...(licenses.length > 0 && {licenses: licenses.map(({name, title, path}) => given({name, title, path}))}),
    ...(sources.length > 0 && {sources: sources.map(({title, path}) => given({title, path}))}),
  };
}

function given<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** Files are read together: all of them are gzip or none, and Parquet, which packs its own columns, never is. */
function packingFaults(paths: readonly string[], format: Format, fault: FaultAt): Fault[] {
  const packed = paths.filter(path => path.endsWith('.gz'));
  if (packed.length === 0) return [];
  if (format === 'parquet') return [fault('path', packed[0], 'is gzip, which Parquet cannot be')];
  return packed.length === paths.length ? [] : [fault('path', paths, 'has both gzip and plain files')];
}

/** Faults of paths that some disks cannot hold, or cannot hold beside each other. */
function fileNameFaults(paths: readonly string[], fault: FaultAt): Fault[] {
  return [
    ...paths.filter(path => path.split('/').some(isDevice)).map(path => fault('path', path, RESERVED)),
    ...twinsAmong(paths).map(([path, earlier]) => fault('path', path, twinOf(earlier))),
  ];
}

/** Faults of the paths that do not lead to a file inside the freeze, links followed. */
async function pathFaults(folder: string, path: string | readonly string[], fault: FaultAt): Promise<Fault[]> {
  const home = (await realpath(folder)) + sep;
  const faults = [path].flat().map(async (one, index) => {
    const rule = await pathRule(home, join(folder, one));
    return rule === undefined ? [] : fault(typeof path === 'string' ? 'path' : `path[${index}]`, one, rule);
  });
  return (await Promise.all(faults)).flat();
}

/** The rule that a path breaks. */
async function pathRule(home: string, path: string): Promise<string | undefined> {
  try {
    const target = await realpath(path);
    if (!target.startsWith(home)) return 'leads out of the freeze';
    return (await stat(target)).isFile() ? undefined : 'is not a file';
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    return ['ENOENT', 'ENOTDIR'].includes(code) ? 'does not exist' : `cannot be read (${code})`;
  }
}
