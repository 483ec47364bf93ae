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
 * Returns the promises to buyers that the schema of a new freeze breaks, in the words of `frozen review`. Products that use SQL are only
 * named, because only `frozen build` and `frozen review` run their queries.
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

/** Returns no products if they are invalid, which the build reports. */
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
  // A product that could not be built before has promised nothing.
  if ('faults' in was) return [];
  const is = schemasOf(kind, product, after);
  if ('faults' in is) return is.faults.map(fault => `${product.title} can no longer be built: ${fault}`);
  const changes = [...schemaChanges('sample', was.sample, is.sample), ...schemaChanges('paid', was.paid, is.paid)];
  const words = changes
    .filter(({breaking}) => breaking)
    .map(({path, change}) => `${path} of ${product.title}: ${VERDICTS[change][1]}, ${SHAPE_PROMISE}`);
  return [...new Set(words)];
}

/**
 * Returns the schemas of the sample and the paid document of a product, or the errors. They depend on the columns only, so no rows are
 * read.
 */
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
