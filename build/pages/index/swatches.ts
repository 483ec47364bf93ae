import type {Picture} from '../../kinds/figures/picture.ts';

const OTHERS = ['part-1', 'part-2', 'part-3'];

/**
 * The style class of each part of a picture: what is claimed is coloured, the rest is grey. Parts are also told by their
 * order, which the legend shares, so that nobody has to tell greys apart.
 */
export function swatchesOf({shape, parts}: Picture): string[] {
  const others = parts.filter(part => !part.claimed);
  const firstClaimed = parts.find(part => part.claimed);
  return parts.map(part => {
    if (part.claimed) return part === firstClaimed ? 'claimed' : 'claimed-too';
    return shape === 'dots' ? 'other' : (OTHERS[others.indexOf(part) % OTHERS.length] ?? 'other');
  });
}
