import {join, posix} from 'node:path';
import {brokenLinks, type FreezeChain, type Link} from '../../shared/chain.ts';
import {sha256} from '../../shared/digest.ts';
import type {ListedSource} from '../../shared/shapes.ts';
import {InputError, mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {SOURCE_NAME} from '../../shared/source-name.ts';
import {forbiddenAmong} from '../../shared/file-names.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import {dataPackageValidator, type Format} from './data-package.ts';
import {otherLineEnds} from './digest.ts';
import {datesIn, pathFaults} from './freeze-folders.ts';
import {given, tableSchemaFaults, type FaultAt, type TableSchema, missingOf} from './table-schema.ts';
import {readJsonText, validated} from './json-file.ts';

export const sourceName = {
  type: 'string',
  pattern: SOURCE_NAME,
  description: 'the name of a folder in data/sources',
} as const;

const DESCRIPTOR = 'datapackage.json';

/** The files of a list and how to read them. */
export interface FrozenList {
  readonly root: string;
  readonly source: string;
  /** Path of its folder from the root, for example `data/sources/deny-list/2026-05-01`. */
  readonly folder: string;
  /** The file that declares the schema, for messages. */
  readonly descriptor: string;
  /** Paths of its files from the root, in the order of the descriptor. */
  readonly files: readonly string[];
  readonly format: Format;
  readonly delimiter: string;
  /** For JSON with the list inside an object: the names of the members that lead to it, separated by full stops. */
  readonly property?: string | undefined;
  /** Size of all files together, in bytes. */
  readonly bytes: number;
  /** Lower-case hex SHA-256 over the bytes of all files, in order. */
  readonly sha256: string;
  /** As declared; undefined before the list is frozen. */
  readonly rows: number | undefined;
  readonly schema: TableSchema | undefined;
  /** Strings that represent a missing value, in columns that do not define their own. */
  readonly missing: readonly string[];
}

/** A dated copy of a source, which is never edited. */
export interface Freeze extends FrozenList {
  /** The state of the descriptor before it was read. */
  readonly known: KnownFile;
  readonly date: string;
  /** When the list was made. */
  readonly created: string;
  /** The time of the snapshot. */
  readonly as_of: string;
  /** Whole hours from `created` to `as_of`, rounded down. */
  readonly age_hours: number;
  readonly about: Omit<ListedSource, 'name'>;
  readonly link: Link;
}

/** Reads the freezes of a source, oldest `as_of` first. Throws `InputError` if the source has no freeze, or if their chain is broken. */
export async function readFreezes(root: string, source: string): Promise<Freeze[]> {
  const freezes = await freezesOf(root, source);
  refuse(chainFaults(freezes));
  if (freezes.length > 0) return freezes;
  const fix = 'Create one with `frozen freeze`, or restore the folder from git.';
  throw new InputError({code: 'FZ111', file: `data/sources/${source}`, rule: 'does not contain a freeze', fix});
}

const HOW_TO_FIX = '(restore it from git; a freeze that was never committed can be frozen again with --replace)';

/** Returns the breaks of a chain of freezes, oldest first, as errors. */
export function chainFaults(freezes: readonly Freeze[]): Fault[] {
  const files = new Map(freezes.map(({link, descriptor}) => [link, descriptor]));
  return brokenLinks({freezes: freezes.map(({link}) => link)}).map(({link, of, rule}) => {
    const file = files.get(link) ?? '';
    return of === 'freeze'
      ? {code: 'FZ112', file, rule}
      : {code: 'FZ112', file, field: 'previous', value: link.previous, rule: `${rule} ${HOW_TO_FIX}`};
  });
}

/** Returns the distinct chains of all sources, sorted by name. Several source groups may read a source. */
export function chainsIn(groups: readonly {readonly chains: readonly FreezeChain[]}[]): FreezeChain[] {
  const chains = new Map(groups.flatMap(({chains}) => chains).map(chain => [chain.name, chain]));
  return [...chains.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads the descriptors of all freezes of a source, oldest `as_of` first. Folders are named by date, so `as_of` is unique. */
export async function freezesOf(root: string, source: string): Promise<Freeze[]> {
  const freezes = await mapAll(datesIn(root, source), date => readFreeze(root, source, date));
  return freezes.sort((a, b) => (a.as_of < b.as_of ? -1 : 1));
}

/** Returns the whole hours between two times, rounded down. */
export function hoursBetween(from: string, to: string): number {
  return Math.floor((Date.parse(to) - Date.parse(from)) / 3_600_000);
}

function readFreeze(root: string, source: string, date: string): Freeze {
  const folder = `data/sources/${source}/${date}`;
  const descriptor = `${folder}/${DESCRIPTOR}`;
  const known = knownInput(root, descriptor);
  const json = readJsonText(root, descriptor, 'descriptor');
  const {created, as_of, previous, resources, ...rest} = validated(json, dataPackageValidator());
  const [resource] = resources;
  const paths = [resource.path].flat();
  const fix = 'Correct the member, or restore the folder of the freeze from git.';
  const fault: FaultAt = (field, value, rule) => ({code: 'FZ203', file: descriptor, field, value, rule, fix});
  const resourceFault: FaultAt = (field, value, rule) => fault(`resources[0].${field}`, value, rule);
  refuse([
    // Its digest is in the chain and in proofs, and would differ between two checkouts.
    ...(json.text.includes('\r\n')
      ? [{code: 'FZ110' as const, file: descriptor, rule: otherLineEnds('CR LF', 'LF')}]
      : []),
    ...(as_of.startsWith(`${date}T`) ? [] : [fault('as_of', as_of, `is not on the date of the folder, ${date}`)]),
    ...(Date.parse(created) > Date.parse(as_of) ? [fault('created', created, `is after as_of, ${as_of}`)] : []),
    ...packingFaults(paths, resource.format, resourceFault),
    ...(resource.dialect?.property !== undefined && resource.format !== 'json'
      ? [resourceFault('dialect.property', resource.dialect.property, 'is only for JSON')]
      : []),
    ...(resource.schema
      ? tableSchemaFaults(resource.schema, (...found) => ({...resourceFault(...found), code: 'FZ114', fix: undefined}))
      : []),
    ...forbiddenAmong(paths).map(([path, rule]) => resourceFault('path', path, rule)),
    ...pathFaults(join(root, folder), resource.path, resourceFault),
  ]);
  return {
    root,
    source,
    folder,
    descriptor,
    known,
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
    // The text has exactly the bytes of the file, because other encodings than UTF-8 were refused.
    link: {date, as_of, descriptor: sha256(json.text), ...(previous !== undefined && {previous})},
  };
}

/** Title, description, licences and origin of a source, without undefined members. */
function aboutOf({title, description, licenses = [], sources = []}: Partial<Freeze['about']>): Freeze['about'] {
  return {
    ...given({title, description}),
    ...(licenses.length > 0 && {licenses: licenses.map(({name, title, path}) => given({name, title, path}))}),
    ...(sources.length > 0 && {sources: sources.map(({title, path}) => given({title, path}))}),
  };
}

/** Files are read together, so either all are gzip or none. Parquet has its own compression and must not be gzip. */
function packingFaults(paths: readonly string[], format: Format, fault: FaultAt): Fault[] {
  const packed = paths.filter(path => path.endsWith('.gz'));
  if (packed.length === 0) return [];
  if (format === 'parquet') return [fault('path', packed[0], 'is gzip, which Parquet cannot be')];
  return packed.length === paths.length ? [] : [fault('path', paths, 'has both gzip and plain files')];
}
