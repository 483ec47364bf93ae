import type {Edition} from './record.ts';

/** `Soft Fail 3, part europe, as csv`: what an edition of a product with this title is called. */
export function editionTitle(title: string, {part, format}: Pick<Edition, 'part' | 'format'>): string {
  return [title, ...(part ? [`part ${part.name}`] : []), ...(format === 'json' ? [] : [`as ${format}`])].join(', ');
}
