import type {Catalogue} from '../../../shared/shapes.ts';
import type {ChainRewrite} from './chain-rewrites.ts';
import type {ProductRewrite} from './product-rewrites.ts';

/** True if a catalogue looks like an earlier one: something was reset, nothing is newer, and nothing else changed. */
export function isRollback(
  before: Catalogue,
  after: Catalogue,
  found: readonly (ProductRewrite | ChainRewrite)[],
): boolean {
  const moments = (catalogue: Catalogue) => [
    ...catalogue.products.map(({name, as_of}) => [`product ${name}`, as_of] as const),
    ...(catalogue.sources ?? []).map(({name, freezes}) => [`chain ${name}`, freezes.at(-1)?.as_of ?? ''] as const),
  ];
  const was = new Map(moments(before));
  const isNews = moments(after).some(([name, as_of]) => as_of > (was.get(name) ?? ''));
  return (
    !isNews && found.some(({kind}) => kind === 'back') && found.every(({kind}) => kind === 'back' || kind === 'gone')
  );
}
