import {dataPackageValidator, type DataPackage} from '../../build/read/data-package.ts';
import {given} from '../../build/read/table-schema.ts';
import {mediaTypeOf} from './file-name.ts';
import type {Order} from './order.ts';
import type {ReadList} from './read-list.ts';
import type {CopiedList} from './copy-list.ts';

/**
 * Returns `datapackage.json` of a new freeze. Texts about the source (title, description, licenses, contributors, …) are copied from the
 * last freeze.
 */
export function descriptorOf(
  order: Order,
  {files, form, bytes, sha256}: CopiedList,
  {rows, schema, delimiter, property}: ReadList,
  {created, previous}: {readonly created: string; readonly previous: string | undefined},
  last: DataPackage | undefined,
): DataPackage {
  const {title, description, homepage, keywords, contributors, sources, licenses, image} = last ?? {};
  const {title: of, description: about, sources: from, licenses: under} = last?.resources[0] ?? {};
  const [path, ...others] = files.map(({name}) => name);
  const addresses = files.flatMap(({address}) => (address === undefined ? [] : [{path: address}]));
  const descriptor = given({
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: `${order.source}-${order.date}`,
    title: order.title ?? title,
    description: order.description ?? description,
    created,
    as_of: order.as_of,
    previous,
    licenses: order.license === undefined ? licenses : [licenseOf(order.license, last)],
    sources: order.attribution === undefined ? originsOf(addresses, sources) : [creditOf(order.attribution)],
    homepage,
    keywords,
    contributors,
    image,
    resources: [
      given({
        name: order.source,
        path: others.length === 0 ? path : [path, ...others],
        format: form.format,
        mediatype: mediaTypeOf(form),
        encoding: form.format === 'parquet' ? undefined : 'utf-8',
        bytes,
        hash: `sha256:${sha256}`,
        rows,
        title: of,
        description: about,
        sources: from,
        licenses: under,
        type: schema && 'table',
        dialect: dialectOf(delimiter, property),
        schema,
      }),
    ],
  });
  const validate = dataPackageValidator();
  if (validate(descriptor)) return descriptor;
  throw new Error(`the build would refuse the descriptor: ${JSON.stringify(validate.errors)}`);
}

/** Returns the dialect of the files if it is not the default. */
function dialectOf(delimiter: string | undefined, property: string | undefined): object | undefined {
  if (property !== undefined) return {property};
  return delimiter === undefined || delimiter === ',' ? undefined : {delimiter};
}

/** Identifiers of licences for data in the list of SPDX. Its page of a licence is the address. */
const SPDX = /^(CC0|CC-BY(-NC)?(-SA|-ND)?|ODbL|ODC-By|PDDL|CDLA-(Permissive|Sharing)|DL-DE-(BY|ZERO)|OGL-UK)-\d\.\d$/;

/**
 * Returns a licence by its identifier (SPDX), title or address, with the details that the last freeze has for it. In a Data Package a name
 * has only letters, digits, `-`, `_` and `.`, and a licence needs a name or an address.
 */
function licenseOf(license: string, last: DataPackage | undefined): object {
  if (/^https?:/.test(license)) return last?.licenses?.find(({path}) => path === license) ?? {path: license};
  const name = license.replace(/[^\w.-]+/g, '-');
  const known =
    last?.licenses?.find(one => one.name === license || one.title === license) ??
    (name === license ? {name} : {name, title: license});
  return SPDX.test(license) ? {path: `https://spdx.org/licenses/${license}.html`, ...known} : known;
}

/** `The registry, https://registry.example/` → `{title: 'The registry', path: 'https://registry.example/'}` */
function creditOf(text: string): object {
  const [path] = /https?:\/\/\S+/.exec(text) ?? [];
  const title = path === undefined ? text : text.replace(path, '').replace(/^[\s,:(]+|[\s,:()]+$/g, '');
  return {...(title !== '' && {title}), ...(path !== undefined && {path})};
}

/** The origins of a freeze: attributions of the last one, which have a title, are kept when the list was downloaded. */
function originsOf(
  addresses: readonly {readonly path: string}[],
  last: DataPackage['sources'],
): DataPackage['sources'] {
  return addresses.length === 0 ? last : [...(last ?? []).filter(({title}) => title !== undefined), ...addresses];
}
