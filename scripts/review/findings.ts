import {priceOf} from '../../shared/price.ts';
import {chainRewrites, productRewrites, REMEDIES} from '../../buyer/verify/since/rewrites.ts';
import type {Site, Sites} from './state.ts';
import {shownPoints} from './numbers.ts';
import {differingEditions} from './products.ts';
import {SEVERITIES, type FigureChange, type Finding, type ProductReview, type RowsChange} from './report.ts';
import type {SchemaChange} from './schema-changes.ts';
import {shapePromise, VERDICTS} from './schema-verdicts.ts';
import {listed, own, plain, say, type Words} from './words.ts';

/** Changes of a share above this value, from 0 to 1, are reported. */
const MOVED = 0.1;
const NAMED = 3;
/** The effect of a change to earlier snapshots of a history. The end of a message. */
const REFUSED = 'buyers who know the former history refuse the product until they accept the change';

/** Returns the findings that the publisher should read before publishing: broken promises first, in the order of the products. */
export function findingsOf(sites: Sites, products: readonly ProductReview[]): Finding[] {
  if (sites.before.catalogue.products.length === 0) return [];
  const all = [
    ...siteFindings(sites),
    ...chainFindings(sites),
    ...products.flatMap(product => [...productFindings(product)]),
    ...passFindings(sites),
    ...renamings(products),
  ];
  all.push(...rewordings(sites, all));
  const unique = new Map(all.map(finding => [`${finding.code} ${plain(finding.says)}`, finding]));
  return [...unique.values()].sort((a, b) => Number(b.severity === 'broken') - Number(a.severity === 'broken'));
}

function finding(code: Finding['code'], says: Words, on: Pick<Finding, 'product' | 'source'> = {}): Finding {
  return {severity: SEVERITIES[code], code, ...on, says};
}

function* siteFindings({before: base, after: head, withheld}: Sites): Generator<Finding> {
  const [was, is] = [base.catalogue, head.catalogue];
  if (base.rules && JSON.stringify(base.rules.payment) !== JSON.stringify(head.rules?.payment))
    yield finding('payment-changed', say`the payee, the network or the facilitator changed: check every digit`);
  if (was.base_url !== is.base_url)
    yield finding(
      'address-changed',
      say`every address that buyers know changes from ${was.base_url} to ${is.base_url}`,
    );
  if (was.signing && was.signing.kid !== is.signing?.kid)
    yield finding(
      'key-changed',
      is.signing
        ? say`another key signs the site, ${is.signing.kid}: buyers who know the former key accept it only if the former key signed it`
        : say`the site stopped signing: buyers who know its key refuse it`,
    );
  const sold = new Map(was.products.map(entry => [entry.name, entry]));
  const gated = new Set(head.rules?.rules.map(({name}) => name));
  for (const {name, title, as_of, paid, editions} of is.products) {
    const [before, on] = [sold.get(name), {product: name}];
    const {removed, changed} = differingEditions(name, before?.editions, editions);
    if (removed.length > 0)
      yield finding('edition-gone', say`${title} is no longer sold as ${listed(removed, NAMED)}`, on);
    if (changed.length > 0 && before?.as_of === as_of)
      yield finding(
        'edition-changed',
        say`${listed(changed, NAMED)} of ${title} changed though as_of, ${as_of}, did not`,
        on,
      );
    // Paid documents are not in the repository, so only their digests can be compared.
    if (withheld && before?.as_of === as_of && before.paid.sha256 !== paid.sha256)
      yield finding(
        'paid-unseen',
        say`the paid document of ${title} changed though as_of, ${as_of}, did not, and its former content is not available for comparison`,
      );
    if (!gated.has(name)) yield finding('not-gated', say`no rule requires payment for ${title}`, on);
  }
}

/** Finds rewritten chains: freezes that were inserted, removed or changed, and chains that are no longer published. */
function chainFindings({before, after}: Sites): Finding[] {
  const rewrites = chainRewrites(before.catalogue.sources ?? [], after.catalogue.sources ?? []);
  return rewrites.map(({subject: source, kind, says}) =>
    finding('chain-rewritten', own(`${says}: ${REMEDIES[kind]}`), {source}),
  );
}

/**
 * Finds removed products for which another one of the same kind over the same sources was added: their names may have changed with their
 * titles.
 */
function renamings(products: readonly ProductReview[]): Finding[] {
  const madeOf = ({kind, sources}: ProductReview) => JSON.stringify([kind.after ?? kind.before, sources]);
  const added = products.filter(({status}) => status === 'added');
  return products
    .filter(({status}) => status === 'removed')
    .flatMap(gone => {
      const alike = added.filter(product => madeOf(product) === madeOf(gone)).map(({title}) => title);
      if (alike.length === 0) return [];
      const says = say`renamed? ${gone.title} was removed, and ${listed(alike, NAMED)} added, of the same kind over the same source: "name": "${gone.name}" in its product keeps the address under a new title`;
      return [finding('renamed', says, {product: gone.name})];
    });
}

/**
 * Yields the findings of a product. Promises come first: data of an `as_of` never changes, a schema of v1 never breaks programs, v1 keeps
 * selling its products.
 */
function* productFindings(review: ProductReview): Generator<Finding> {
  const {name: product, title, status, kind} = review;
  const found = (code: Finding['code'], says: Words) => finding(code, says, {product});
  if (status === 'removed')
    yield found(
      'product-removed',
      say`${title} is no longer sold, but products of v1 stay for sale: ${own(REMEDIES.gone)}`,
    );
  const {before: was, after: is} = review.as_of;
  const {before: price, after: newPrice} = review.price;
  if (was === undefined || is === undefined || price === undefined || newPrice === undefined) return;

  if (Date.parse(is) < Date.parse(was))
    yield found('as-of-back', say`as_of of ${title} went back, from ${was} to ${is}`);
  if (price !== newPrice) {
    const verb = own(priceOf(newPrice).micros > priceOf(price).micros ? 'rises' : 'falls');
    yield found('price-changed', say`the price of ${title} ${verb} from ${price} to ${newPrice}`);
  }
  const inDocuments = [...documentFindings(review, was, is)];
  // Another kind changes nearly everything, so one finding replaces the others.
  if (kind.before !== kind.after && inDocuments.some(({severity}) => severity === 'broken'))
    yield found(
      'kind-changed',
      say`the kind of ${title} changed from ${kind.before} to ${kind.after}, ${own(shapePromise('other-changed'))}`,
    );
  else yield* inDocuments;
}

/** Yields the findings about the documents of a product, as of `was` and `is`. */
function* documentFindings(review: ProductReview, was: string, is: string): Generator<Finding> {
  const {name: product, title, figures, past, history, schemas} = review;
  const found = (code: Finding['code'], says: Words) => finding(code, says, {product});
  const frozen = was === is ? [...contradicted(figures), ...review.members] : [];
  if (frozen.length > 0)
    yield found(
      'figures-changed',
      say`figures of ${title} changed though as_of, ${is}, did not: ${listed(frozen, NAMED)}; ${own(REMEDIES.changed)}`,
    );
  const changed = past
    .map(({as_of, figures: all}) => ({as_of, paths: contradicted(all)}))
    .filter(({paths}) => paths.length > 0);
  if (changed.length > 0) {
    const [dates, paths] = [changed.map(({as_of}) => as_of), new Set(changed.flatMap(point => point.paths))];
    yield found(
      'past-figures-changed',
      say`figures of ${title} at ${listed(dates, NAMED)}, in its history, changed: ${listed([...paths], NAMED)}; ${own(REMEDIES.changed)}`,
    );
  }
  if (was === is && review.rows && contradicts(review.rows))
    yield found(
      'rows-changed',
      say`the ${own(review.rows.member)} of ${title} changed though as_of, ${is}, did not: ${own(REMEDIES.changed)}`,
    );
  for (const {document, path, change} of schemas.filter(({breaking}) => breaking)) {
    const place = path === '' ? say`the ${own(document)} document` : say`${path} in the ${own(document)} document`;
    yield found(
      'breaking-schema',
      say`${place} of ${title}: ${own(`${VERDICTS[change][1]}, ${shapePromise(change)}`)}`,
    );
  }
  for (const {path, share, difference = 0} of figures) {
    if (share && Math.abs(difference) > MOVED)
      yield found('share-moved', say`${path} of ${title} moved by ${shownPoints(difference)}`);
  }
  if (schemas.some(isOtherShape))
    yield found('shape-changed', say`the shape of the sample of ${title} changed within v1`);
  if (history.removed.length > 0)
    yield found(
      'history-gone',
      say`the history of ${title} no longer has ${listed(history.removed, NAMED)}: ${own(REFUSED)}`,
    );
  const inserted = history.added.filter(as_of => as_of < was);
  if (inserted.length > 0)
    yield found(
      'history-inserted',
      say`the history of ${title} has additional snapshots before ${was}, ${listed(inserted, NAMED)}: ${own(REFUSED)}`,
    );
}

/** True for a change in the shape of the sample. A new class in its counts does not change the shape. */
function isOtherShape({document, change}: SchemaChange): boolean {
  return document === 'sample' && !['words-changed', 'class-added'].includes(change);
}

/** Finds documents with other bytes for the same `as_of` whose changes break no promise: `frozen buy` and `frozen verify` refuse them. */
function* rewordings({before, after, withheld}: Sites, found: readonly Finding[]): Generator<Finding> {
  if (withheld) return;
  const broken = new Set(found.filter(({severity}) => severity === 'broken').map(({product}) => product));
  // Parts and formats have their own finding.
  const without = ({catalogue: {base_url, products}}: Site) => ({
    base_url,
    products: products.map(entry => ({...entry, editions: undefined})),
  });
  for (const {subject: product, kind} of productRewrites(without(before), without(after))) {
    const {title, as_of} = after.catalogue.products.find(({name}) => name === product) ?? {};
    if (kind === 'changed' && !broken.has(product))
      yield finding(
        'texts-changed',
        say`the documents of ${title} changed though as_of, ${as_of}, did not: buyers who know the former ones refuse the product until its next snapshot, so make the change together with a freeze`,
        {product},
      );
  }
}

/** A snapshot that is inserted into the history of a product in a pass counts as a later one, so its buyers get fewer. */
function* passFindings({before, after}: Sites): Generator<Finding> {
  const snapshotsOf = ({rules}: Site) => new Map(rules?.rules.map(({name, snapshots}) => [name, snapshots]));
  const [were, are] = [snapshotsOf(before), snapshotsOf(after)];
  for (const {name, title} of before.catalogue.products.filter(({pass}) => pass)) {
    const inserted = Object.entries(were.get(name) ?? {}).flatMap(([member, sold]) =>
      (are.get(name)?.[member] ?? []).filter(as_of => as_of < (sold.at(-1) ?? '') && !sold.includes(as_of)),
    );
    if (inserted.length > 0)
      yield finding(
        'pass-shortened',
        say`${title} counts snapshots that were inserted into the history of its products, ${listed(inserted, NAMED)}, so buyers get fewer later ones: ${own(REMEDIES.inserted)}`,
        {product: name},
      );
  }
}

/** Returns the figures with other values. Added or removed figures contradict no document; the schemas show them. */
function contradicted(figures: readonly FigureChange[]): string[] {
  return figures.filter(({before, after}) => before !== undefined && after !== undefined).map(({path}) => path);
}

/** True if rows of the same `as_of` differ. A document that lists only some of the rows may list others now. */
function contradicts({changed, everywhere, removed, added, listed: some, total}: RowsChange): boolean {
  return (
    changed.total > 0 ||
    everywhere.length > 0 ||
    (removed.total > 0 && some.after === total.after) ||
    (added.total > 0 && some.before === total.before)
  );
}
