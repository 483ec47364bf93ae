import type {EventGoods, Json, RowGoods} from '../kinds/kind.ts';
import type {Publication} from './publication.ts';
import {seal} from './seal.ts';
import {noteOf} from './texts.ts';

/** The paid document. */
export function paidOf(publication: Publication): Json {
  return documentOf(publication, publication.content.goods);
}

/** A valid paid document without any goods: what a buyer's program can expect, and nothing that is sold. */
export function emptyPaidOf(publication: Publication): Json {
  const {goods} = publication.content;
  return documentOf(publication, goods.type === 'rows' ? {...goods, rows: []} : {...goods, events: []});
}

function documentOf(publication: Publication, goods: RowGoods | EventGoods): Json {
  return seal(goods.type === 'rows' ? rowDocument(publication, goods) : bundle(publication, goods));
}

function rowDocument({product, kind, published, freezes}: Publication, {rows, total}: RowGoods): Json {
  return {
    name: product.name,
    title: product.title,
    as_of: published.as_of,
    reason: published.reason,
    note: noteOf(kind, freezes, published.finding),
    ...(kind.listed ? {listed: false} : {}),
    ...published.figures,
    rows,
    rows_total: total,
    ...(rows.length < total ? {rows_truncated: true} : {}),
    sha256: '',
  };
}

/** Exactly the members of the bundle's schema (specification, Endpoints, rule 3). */
function bundle({published}: Publication, {events, pubkey_hint}: EventGoods): Json {
  return {events, pubkey_hint, sha256: '', as_of: published.as_of};
}
