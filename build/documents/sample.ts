import type {Computed} from '../compute/compute.ts';
import type {Json} from '../kinds/kind.ts';
import {seal} from './seal.ts';
import type {Site} from '../read/site.ts';
import {paths} from '../../shared/paths.ts';
import {noteOf, reasonOf} from './texts.ts';

/** The free sample: the common members of the specification, then the kind's own. */
export function sampleOf(site: Site, computed: Computed): Json {
  const {product, kind, snapshot} = computed;
  return seal({
    sit: false,
    as_of: snapshot.as_of,
    reason: reasonOf(computed),
    title: `${product.title} Sample`,
    next: {
      name: product.name,
      title: product.title,
      price: product.price,
      method: 'GET',
      url: site.base_url + paths.paid(product.name),
    },
    note: noteOf(computed),
    ...(kind.listed ? {listed: false} : {}),
    ...snapshot.content.sample,
  });
}
