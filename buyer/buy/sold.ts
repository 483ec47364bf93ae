import {InputError} from '../../shared/fault.ts';
import {editionTitle, paths} from '../../shared/paths.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {entryOf, paidOf, shownNames, type PaidDocument} from '../verify/catalogue.ts';
import type {LiveSite} from './site.ts';

export interface Sold {
  readonly entry: Entry;
  readonly document: PaidDocument;
}

/** Returns all paid documents of a product: first the one with its name and the other formats, then the parts. */
export function soldOf(entry: Entry): Sold[] {
  const isPart = ({edition}: PaidDocument) => edition?.part !== undefined;
  const documents = paidOf(entry);
  return [...documents.filter(one => !isPart(one)), ...documents.filter(isPart)].map(document => ({entry, document}));
}

/**
 * Finds a paid document by its name: that of a product (`softfail3`), of a part (`softfail3-europe`), or of either in another format
 * (`softfail3.csv`, `softfail3-europe.parquet`). Throws `InputError` with the existing names if it is not sold.
 */
export function soldAs({origin, catalogue}: Pick<LiveSite, 'origin' | 'catalogue'>, name: string): Sold {
  const [product = ''] = name.split(/[-.]/);
  const isProduct = catalogue.products.some(entry => entry.name === product);
  const all = soldOf(entryOf(catalogue, isProduct ? product : name));
  const sold = all.find(({document}) => document.name === name);
  if (sold) return sold;
  const names = shownNames(all.map(({document}) => document.name));
  const rule = `do not include ${name}: ${product} is sold as ${names}`;
  throw new InputError({code: 'FZ614', url: origin + paths.catalogue, field: 'products', rule});
}

export function isSold({products}: Catalogue, name: string): boolean {
  return products.flatMap(paidOf).some(document => document.name === name);
}

/** Returns the title of a paid document, such as `Soft Fail 3, part europe, as CSV`. */
export function titleOf({entry, document: {edition}}: Sold): string {
  return edition ? editionTitle(entry.title, edition) : entry.title;
}

/** Returns the media type in lower case, without parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.replace(/;.*$/s, '').trim().toLowerCase();
}
