import {paths} from '../../shared/paths.ts';
import type {Json} from '../kinds/kind.ts';
import type {Publication} from './publication.ts';
import {seal} from './seal.ts';
import {noteOf} from './texts.ts';

/**
 * The free sample: the common members of the specification, then the kind's own.
 *
 * @param baseUrl the site's origin
 */
export function sampleOf(baseUrl: string, {product, kind, published, freezes, content}: Publication): Json {
  const {name, title, price} = product;
  return seal({
    sit: false,
    as_of: published.as_of,
    reason: published.reason,
    title: `${title} Sample`,
    next: {name, title, price: price.text, method: 'GET', url: baseUrl + paths.paid(name)},
    note: noteOf(kind, freezes, published.finding),
    ...(kind.listed ? {listed: false} : {}),
    ...content.sample,
  });
}
