import {InputError} from '../../shared/fault.ts';
import {validateDataPackage, type DataPackage, type License, type TableSchema} from '../../build/read/data-package.ts';
import {violationsOf} from '../../build/read/validator.ts';
import {mediaTypeOf} from './file-name.ts';
import type {Order} from './order.ts';
import type {TakenList} from './take-list.ts';

const PROFILE = 'https://datapackage.org/profiles/2.0/datapackage.json';

/** What a descriptor says of the rows. */
export interface Facts {
  readonly created: string;
  readonly delimiter: string | undefined;
  readonly rows: number;
  /** None for events. */
  readonly schema: TableSchema | undefined;
}

/** Members that belong to one freeze, and are never carried over. */
const OWN = ['$schema', 'name', 'id', 'version', 'created', 'as_of', 'resources'];
/** The same of its resource. */
const OWN_OF_RESOURCE = [
  '$schema',
  'name',
  'type',
  'path',
  'format',
  'mediatype',
  'encoding',
  'bytes',
  'hash',
  'rows',
  'dialect',
  'schema',
];

/**
 * `datapackage.json` of a new freeze. What a publisher once wrote about the source (title, description, licenses, contributors, …) is
 * carried over from the last freeze. Throws `InputError` where it is not a descriptor that the build accepts.
 */
export function descriptorOf(order: Order, list: TakenList, facts: Facts, last: DataPackage | undefined): DataPackage {
  const {title, description, licenses, sources, ...others} = without(last, OWN);
  const addresses = list.files.flatMap(({address}) => (address === undefined ? [] : [{path: address}]));
  const descriptor: unknown = defined({
    $schema: PROFILE,
    name: `${order.source}-${order.date}`,
    title: order.title ?? title,
    description: order.description ?? description,
    created: facts.created,
    as_of: order.as_of,
    licenses: order.license === undefined ? licenses : [licenseOf(order.license, last)],
    sources: addresses.length > 0 ? addresses : sources,
    ...others,
    resources: [resourceOf(order, list, facts, last)],
  });
  if (validateDataPackage(descriptor)) return descriptor;
  const file = `data/sources/${order.source}/${order.date}/datapackage.json`;
  throw new InputError(
    violationsOf(validateDataPackage).map(({path, value, rule}) => ({
      file,
      field: path.join('.'),
      value: typeof value === 'object' ? undefined : value,
      rule,
    })),
  );
}

/** The bytes of a descriptor. */
export function encodeDescriptor(descriptor: DataPackage): string {
  return `${JSON.stringify(descriptor, null, 2)}\n`;
}

function resourceOf(
  {source}: Order,
  {files, form, bytes, sha256}: TakenList,
  {rows, schema, delimiter}: Facts,
  last: DataPackage | undefined,
): object {
  const paths = files.map(({name}) => name);
  return defined({
    name: source,
    path: paths.length === 1 ? paths[0] : paths,
    format: form.format,
    mediatype: mediaTypeOf(form),
    encoding: form.format === 'parquet' ? undefined : 'utf-8',
    bytes,
    hash: `sha256:${sha256}`,
    rows,
    ...without(last?.resources[0], OWN_OF_RESOURCE),
    type: schema && 'table',
    dialect: delimiter === undefined || delimiter === ',' ? undefined : {delimiter},
    schema,
  });
}

/** A licence by its identifier (SPDX) or address; with what the last freeze says of the same one. */
function licenseOf(license: string, last: DataPackage | undefined): License {
  const known = last?.licenses?.find(({name, path}) => name === license || path === license);
  return known ?? (/^https?:/.test(license) ? {path: license} : {name: license});
}

function without(object: object | undefined, members: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([member]) => !members.includes(member)));
}

function defined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
