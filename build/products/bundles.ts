import type {Fault} from '../../shared/fault.ts';
import type {DocumentsKind, Kind, Product} from '../kinds/kind.ts';
import {kindOf} from './units.ts';

/** A product that holds documents of others. */
export interface Bundle {
  readonly product: Product;
  readonly kind: DocumentsKind;
  /** The names of the products whose documents it holds. */
  readonly names: readonly string[];
}

/** The products that hold documents of others. */
export function bundlesOf(products: readonly Product[], kinds: ReadonlyMap<string, Kind>): Bundle[] {
  return products.flatMap(product => {
    const kind = kindOf(product, kinds);
    return kind.reads === 'documents' ? [{product, kind, names: kind.holds(product)}] : [];
  });
}

/** The names in bundles that no product over a source has. */
export function strangerFaults(bundles: readonly Bundle[], names: ReadonlySet<string>): Fault[] {
  const own = new Set(bundles.map(({product}) => product.name));
  return bundles.flatMap(({product: {file}, names: held}) =>
    held
      .filter(name => !names.has(name) || own.has(name))
      .map(value => {
        const rule = own.has(value) ? 'is a bundle: name what it holds' : 'is not the name of a product';
        return {file, field: 'bundle', value, rule};
      }),
  );
}
