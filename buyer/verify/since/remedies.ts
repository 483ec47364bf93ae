import type {ChainRewrite} from './chain-rewrites.ts';
import type {ProductRewrite} from './product-rewrites.ts';

/** The remedy for each kind of rewrite, as the end of the message. */
export const REMEDIES = {
  gone: 'restore its file in data/products/ and build again',
  unpublished:
    'restore its freezes and build again; a chain is published only if a product uses its source and it has two freezes or more',
  back: 'restore the later freezes and build again',
  removed: 'restore what was removed and build again',
  changed: 'restore what was published, and publish a correction as a new freeze with a later as_of',
  inserted: 'remove it again; a list that was missed can be published as a new freeze with a later as_of',
} as const satisfies Readonly<Record<ChainRewrite['kind'] | ProductRewrite['kind'], string>>;
