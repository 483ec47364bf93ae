import slugify from '@sindresorhus/slugify';
import type {Fault} from '../../shared/fault.ts';
import {isDevice} from '../../shared/file-names.ts';
import {FREE_FOLDERS} from '../../shared/paths.ts';
import type {Product} from '../kinds/kind.ts';

/** Names that have another meaning below `/api/v1/`. */
const RESERVED: readonly string[] = ['index', ...FREE_FOLDERS];

/** A file name has at most 255 characters: the name, a hyphen, a part name (100) and an extension such as `.parquet`. */
const MOST_NAME_LENGTH = 140;

/** The members of a product that its name depends on. */
export type Named = Pick<Product, 'file' | 'name' | 'title' | 'namedBy'>;

/** The name in the product file, or else the slug of the title. */
export function nameOf({
  name,
  title,
}: Pick<Product, 'title'> & {readonly name?: string | undefined}): Pick<Product, 'name' | 'namedBy'> {
  return name === undefined ? {name: slugify(title, {separator: ''}), namedBy: 'title'} : {name, namedBy: 'name'};
}

/** Errors of a name that is empty, too long or reserved. */
export function nameFaults(product: Named): Fault[] {
  const {name} = product;
  const fault = (ofTitle: string, ofName?: string) => nameFault(product, ofTitle, ofName);
  return [
    ...(name === '' ? [fault('gives an empty name: use letters or digits')] : []),
    ...(isDevice(name)
      ? [fault(`gives the name "${name}", which Windows reserves for a device`, 'is reserved for a device by Windows')]
      : []),
    ...(name.length > MOST_NAME_LENGTH
      ? [
          fault(
            `gives a name of ${name.length} characters, and the files of a product are named after it: set a "name" of at most ${MOST_NAME_LENGTH}`,
          ),
        ]
      : []),
    ...(RESERVED.includes(name) ? [fault(`gives the reserved name "${name}"`, 'is reserved')] : []),
  ];
}

/** Errors of products that have the name of an earlier product. */
export function doubledNames(products: readonly Named[]): Fault[] {
  const first = new Map(products.toReversed().map(({name, file}) => [name, file]));
  return products.flatMap(product => {
    const {name, file} = product;
    const other = first.get(name) ?? file;
    if (other === file) return [];
    return nameFault(
      product,
      `gives the name "${name}", which ${other} already has`,
      `is already the name of ${other}`,
    );
  });
}

/**
 * An error in the member that the name comes from.
 * @param ofTitle completes "title <title> …"
 * @param ofName completes "name <name> …"
 */
function nameFault({file, name, title, namedBy}: Named, ofTitle: string, ofName = ofTitle): Fault {
  return namedBy === 'title'
    ? {code: 'FZ205', file, field: 'title', value: title, rule: ofTitle}
    : {code: 'FZ205', file, field: 'name', value: name, rule: ofName};
}
