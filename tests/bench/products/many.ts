import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {CLASSES, classField, describe, freezeFolder, url, writeShare, writeSite} from '../site.ts';

/** The size of the site. */
export interface Size {
  readonly products: number;
  readonly sources: number;
}

const ROWS = 40;

/** Writes a site of many products that share fewer sources. Each `edition` has different lists. */
export async function writeManyProducts(root: string, {products, sources}: Size, edition: number): Promise<void> {
  await writeSite(root);
  for (let source = 0; source < sources; source++) await writeSource(root, source, edition);
  for (let product = 0; product < products; product++) {
    const share = CLASSES[(product * 3) % CLASSES.length] ?? 'dead';
    await writeShare(root, `Share ${product}`, nameOf(product % sources), share, {max_rows: 3});
  }
}

/** Writes the list of one source, with its digest. Each edition has other bytes. */
export async function writeSource(root: string, source: number, edition: number): Promise<void> {
  const lines = Array.from({length: ROWS}, (_, row) => {
    const name = CLASSES[(row * 7 + source) % CLASSES.length] ?? 'dead';
    return `https://host-${source}-${row}.example/edition/${edition},${name}\n`;
  });
  const list = join(await freezeFolder(root, nameOf(source)), 'list.csv');
  await writeFile(list, `url,class\n${lines.join('')}`);
  await describe(list, {fields: [url, classField], primaryKey: ['url']});
}

function nameOf(source: number): string {
  return `list-${source}`;
}
