import {describeFault, InputError} from '../../shared/fault.ts';
import type {Kind, Product, RowsKind} from '../../build/kinds/kind.ts';
import {loadFolder} from '../../build/load-folder.ts';
import {readProducts} from '../../build/products/products.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {productFiles} from '../../build/read/listing.ts';
import {object} from '../../build/read/validator.ts';
import {Table} from '../../build/rows/table.ts';
import {schemaChanges} from '../review/schema-changes.ts';
import {SHAPE_PROMISE, VERDICTS} from '../review/schema-verdicts.ts';

/**
 * What the other schema of a new freeze breaks for buyers of the products over its rows, in the words of `frozen review`. Products that ask
 * in SQL are only named: what their queries make of it, the build and `frozen review` tell.
 */
export async function brokenPromises(root: string, before: Freeze, after: Freeze): Promise<string[]> {
  const kinds = await loadFolder<Kind>('kinds');
  const products = await productsOf(root, kinds);
  return products.flatMap(product => {
    const kind = kinds.get(product.kind);
    if (kind?.reads === 'rows' && product.source === before.source) return brokenBy(kind, product, before, after);
    const isAsked = kind?.tables?.(product).some(({source}) => source === before.source);
    return isAsked ? [`${product.title} asks in SQL: frozen build and review tell what changes for it`] : [];
  });
}

/** None where the products are faulty, which the build tells. */
async function productsOf(root: string, kinds: ReadonlyMap<string, Kind>): Promise<Product[]> {
  try {
    return await readProducts(root, productFiles(root), kinds);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function brokenBy(kind: RowsKind, product: Product, before: Freeze, after: Freeze): string[] {
  const was = schemasOf(kind, product, before);
  // What could not be built before was never promised.
  if ('faults' in was) return [];
  const is = schemasOf(kind, product, after);
  if ('faults' in is) return is.faults.map(fault => `${product.title} can no longer be built: ${fault}`);
  const changes = [...schemaChanges('sample', was.sample, is.sample), ...schemaChanges('paid', was.paid, is.paid)];
  const words = changes
    .filter(({breaking}) => breaking)
    .map(({path, change}) => `${path} of ${product.title}: ${VERDICTS[change][1]}, ${SHAPE_PROMISE}`);
  return [...new Set(words)];
}

/** The schemas of what a product has to say of a list without rows: they follow the columns, not the rows. */
function schemasOf(kind: RowsKind, product: Product, freeze: Freeze) {
  try {
    const {shape} = kind.ask(product, freeze, new Table(freeze)).answer(measure => measure.decode(null));
    const rows = {type: 'array', items: shape.row ?? {}};
    return {sample: object(shape.sample), paid: object({...shape.figures, rows})};
  } catch (error) {
    if (error instanceof InputError) return {faults: error.faults.map(describeFault)};
    throw error;
  }
}
