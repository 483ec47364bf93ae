import type {Site} from './catalogue.ts';
import {changedUnseen} from './kept-out.ts';
import {breakingSchemas, frozenFigures, frozenGoods, pastFigures} from './promises.ts';
import type {Code, Finding, ProductReview} from './report.ts';
import {goneHistory, movedShares, newPrice, newShape, wentBack} from './warnings.ts';
import {plain, say, type Words} from './words.ts';

/**
 * What a publisher should know of a product before publishing. Broken promises: what is frozen at one `as_of` changed, a
 * schema of v1 changed so that programs break, a path of v1 is no longer sold. Everything else is a warning.
 */
export function judgeProduct(review: ProductReview): Finding[] {
  const {name, title, status} = review;
  const finding = (severity: Finding['severity'], code: Code) => (says: Words) => ({
    severity,
    code,
    product: name,
    says,
  });
  const broken = (code: Code, sentences: readonly Words[]) => sentences.map(finding('broken', code));
  const warning = (code: Code, sentences: readonly Words[]) => sentences.map(finding('warning', code));
  if (status === 'removed')
    return broken('product-removed', [say`${title} is no longer sold, and v1 sells what it sold`]);
  if (status !== 'changed') return [];
  return [
    ...broken('figures-changed', frozenFigures(review)),
    ...broken('past-figures-changed', pastFigures(review)),
    ...broken('rows-changed', frozenGoods(review)),
    ...broken('breaking-schema', breakingSchemas(review)),
    ...warning('as-of-back', wentBack(review)),
    ...warning('price-changed', newPrice(review)),
    ...warning('share-moved', movedShares(review)),
    ...warning('shape-changed', newShape(review)),
    ...warning('history-gone', goneHistory(review)),
  ];
}

/** What a publisher should know of the site as a whole. */
export function judgeSite(base: Site, head: Site): Finding[] {
  if (base.catalogue.products.length === 0) return [];
  const warning = (code: Code, says: Words): Finding => ({severity: 'warning', code, says});
  const [was, is] = [base.catalogue.base_url, head.catalogue.base_url];
  const paid = JSON.stringify(base.rules.payment) !== JSON.stringify(head.rules.payment);
  const gated = new Set(head.rules.rules.map(({name}) => name));
  const free = head.catalogue.products.filter(({name}) => !gated.has(name));
  return [
    ...(paid
      ? [warning('payment-changed', say`who is paid, on which network or through whom changed: check every digit`)]
      : []),
    ...(was === is
      ? []
      : [warning('address-changed', say`every address that buyers know changes from ${was} to ${is}`)]),
    ...changedUnseen(base, head).map(says => warning('paid-unseen', says)),
    ...free.map(({name, title}) => ({
      ...warning('not-gated', say`no rule asks for money for ${title}`),
      product: name,
    })),
  ];
}

/** Broken promises first; each kind in the order of the products. */
export function sorted(findings: readonly Finding[]): Finding[] {
  const unique = new Map(findings.map(finding => [`${finding.code} ${plain(finding.says)}`, finding]));
  return [...unique.values()].sort((a, b) => Number(b.severity === 'broken') - Number(a.severity === 'broken'));
}
