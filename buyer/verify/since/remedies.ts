import type {ChainRewrite} from './chain-rewrites.ts';
import type {ProductRewrite} from './product-rewrites.ts';

/** The remedy for each kind of rewrite, as the end of the message. */
export const REMEDIES = {
  gone: 'restore its files in data/ and build again; a source is published only if a product uses it',
  back: 'restore the later freezes and build again',
  removed: 'restore what was removed and build again',
  changed: 'restore what was published, and publish a correction as a new freeze with a later as_of',
  inserted: 'remove it again; a list that was missed can be published as a new freeze with a later as_of',
} as const satisfies Readonly<Record<ChainRewrite['kind'] | ProductRewrite['kind'], string>>;
