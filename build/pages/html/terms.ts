import {counted} from '../../../shared/counted.ts';
import type {Edition, UnpagedRecord} from '../../documents/record.ts';

/** What the price is for: `a request`, or for a pass `for this snapshot and the next 4`. */
export function paidFor({pass}: UnpagedRecord): string {
  if (!pass) return 'a request';
  return `for this snapshot and the next ${pass.next === 1 ? 'one' : pass.next}`;
}

/** `$0.02 a request, as of 2026-05-01T12:00:00.000Z`, and when the next snapshot is due. */
export function termsOf(product: UnpagedRecord): string {
  const {price, published, next_expected} = product;
  const due = next_expected === undefined ? '' : `, the next expected ${next_expected}`;
  return `${price.text} ${paidFor(product)}, as of ${published.as_of}${due}`;
}

/** `region Europe, 12 rows, 345 bytes`: what an edition holds. */
export function goodsOf({part, rows, bytes}: Edition): string {
  return [...(part ? [part.holds] : []), counted(rows, 'row'), `${bytes} bytes`].join(', ');
}
