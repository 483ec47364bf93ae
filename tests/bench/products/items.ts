import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';

/** What the peers make two documents of. */
export interface Item {
  readonly name: string;
  /** Makes the documents as large as a sample is: 1.07 KB. */
  readonly note: string;
  readonly figures: Readonly<Record<string, number>>;
}

const NOTE_LENGTH = 925;

/** As many items as there are products; each is written twice, as a sample and as a paid document. */
export function itemsOf(count: number): Item[] {
  return Array.from({length: count}, (_, index) => {
    const note = `Frozen source: list-${index % 100} as of 2026-05-01T12:00:00.000Z. `;
    return {
      name: `share${index}`,
      note: note.repeat(Math.ceil(NOTE_LENGTH / note.length)).slice(0, NOTE_LENGTH),
      figures: {rows_n: 40, soft_fail_n: 10, soft_fail_ratio: 0.25, total: index},
    };
  });
}

/** Writes the items as one JSON file, which the peers that are scripts read. Returns its path. */
export async function writeItems(folder: string, items: readonly Item[]): Promise<string> {
  await mkdir(folder, {recursive: true});
  const file = join(folder, 'items.json');
  await writeFile(file, JSON.stringify(items));
  return file;
}
