import type {ChainRewrite} from './chain-rewrites.ts';
import type {ProductRewrite} from './product-rewrites.ts';

/** The remedy for each kind of rewrite, as the end of the message. */
export const REMEDIES = {
  gone: 'restore its files in data/ and build again',
  back: 'restore the later freezes and build again',
  removed: 'restore what was taken out and build again',
  changed: 'restore what was published, and publish a correction as a new freeze with a later as_of',
  inserted: 'take it out again; a list that was missed can be published as a new freeze with a later as_of',
} as const satisfies Readonly<Record<ChainRewrite['kind'] | ProductRewrite['kind'], string>>;
