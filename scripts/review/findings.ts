import {chainRewrites, productRewrites, REMEDIES} from '../../buyer/verify/since/rewrites.ts';
import type {ComparedSite, Sites} from './state.ts';
import {productFindings} from './product-findings.ts';
import {differingEditions} from './products.ts';
import {finding, type Finding, type ProductReview} from './report.ts';
import {listed, own, plain, say} from './words.ts';

const NAMED = 3;

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

/** Finds documents with other bytes for the same `as_of` whose changes break no promise: `frozen buy` and `frozen verify` refuse them. */
function* rewordings({before, after, withheld}: Sites, found: readonly Finding[]): Generator<Finding> {
  if (withheld) return;
  const broken = new Set(found.filter(({severity}) => severity === 'broken').map(({product}) => product));
  // Parts and formats have their own finding.
  const without = ({catalogue: {base_url, products}}: ComparedSite) => ({
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
  const snapshotsOf = ({rules}: ComparedSite) => new Map(rules?.rules.map(({name, snapshots}) => [name, snapshots]));
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
