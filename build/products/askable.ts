import {InputError} from '../../shared/fault.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {readJsonText} from '../read/json-file.ts';
import {examinerOf, memberOf} from './products.ts';

/** Members that no answer depends on, as any product may have them. */
const STAND_INS = {title: 'A product', price: '$0.01', difference: 'tells something', siblings: []};

/**
 * Broken products whose sources can be asked nevertheless: without the members that are at fault, where that leaves all that an answer
 * depends on. They serve to find what else is wrong with their files, and are never published.
 */
export function askableProducts(root: string, files: readonly string[], kinds: ReadonlyMap<string, Kind>): Product[] {
  const examine = examinerOf(root, kinds);
  return files.flatMap((file, index) => {
    const text = readable(root, file);
    if (typeof text?.value !== 'object' || text.value === null) return [];
    const members = Object.entries(text.value);
    const broken = new Set(examine(text).faults.map(({field}) => memberOf(field)));
    const sound = members.filter(([member]) => !broken.has(member) && !(member in STAND_INS));
    const value = {...STAND_INS, ...Object.fromEntries(sound), name: `product${index}`};
    return examine({...text, value}).product ?? [];
  });
}

function readable(root: string, file: string) {
  try {
    return readJsonText(root, file);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
