import type {Fault} from '../../shared/fault.ts';
import {FREE_FOLDERS, paths, PUBLIC} from '../../shared/paths.ts';
import type {Fingerprint} from './text.ts';

/** The smallest limit that any of the hosts sets on a file, in bytes: 25 MiB. */
const MAX_BYTES = 25 * 1024 * 1024;

/** The free documents of one product; whatever else is free tells of all. */
const OF_ONE = FREE_FOLDERS.map(folder => `${PUBLIC}/api/v1/${folder}/`);

/** Files that are too large for a host, with what to set. */
export function sizeFaults(
  files: readonly (Fingerprint & {readonly path: string})[],
  products: readonly {readonly name: string; readonly file: string}[],
): Fault[] {
  return files
    .filter(({bytes}) => bytes > MAX_BYTES)
    .map(({path, bytes}) => {
      const product = products.find(({name}) => path === PUBLIC + paths.paid(name));
      if (product) {
        const rule = `is missing or too high: the paid document has ${bytes} bytes, and hosts take ${MAX_BYTES}`;
        return {file: product.file, field: 'max_rows', rule};
      }
      const rule = `has more than the ${MAX_BYTES} bytes that hosts take`;
      const wayOut = `: ${products.length} products are too many for one site`;
      return {
        file: path,
        field: 'size',
        value: bytes,
        rule: OF_ONE.some(folder => path.startsWith(folder)) ? rule : rule + wayOut,
      };
    });
}
