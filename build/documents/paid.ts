import type {Computed} from '../compute/compute.ts';
import type {EventGoods, Json, RowGoods} from '../kinds/kind.ts';
import {seal} from './seal.ts';
import {noteOf, reasonOf} from './texts.ts';

/** The paid document. */
export function paidOf(computed: Computed): Json {
  return compose(computed, computed.snapshot.content.goods);
}

/** A valid paid document without any goods: what a buyer's program can expect, and nothing that is sold. */
export function emptyPaidOf(computed: Computed): Json {
  const {goods} = computed.snapshot.content;
  return compose(computed, goods.type === 'rows' ? {...goods, rows: []} : {...goods, events: []});
}

function compose(computed: Computed, goods: RowGoods | EventGoods): Json {
  return seal(goods.type === 'rows' ? rowDocument(computed, goods) : bundle(computed, goods));
}

function rowDocument(computed: Computed, {rows, total}: RowGoods): Json {
  const {product, kind, snapshot} = computed;
  return {
    name: product.name,
    title: product.title,
    as_of: snapshot.as_of,
    reason: reasonOf(computed),
    note: noteOf(computed),
    ...(kind.listed ? {listed: false} : {}),
    ...snapshot.content.figures,
    rows,
    rows_total: total,
    ...(rows.length < total ? {rows_truncated: true} : {}),
    sha256: '',
  };
}

/** Exactly the members of the bundle's schema (specification, Endpoints, rule 3). */
function bundle({snapshot}: Computed, {events, pubkey_hint}: EventGoods): Json {
  return {events, pubkey_hint, sha256: '', as_of: snapshot.as_of};
}
