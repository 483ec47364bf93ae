import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {CLASSES, classField, describe, freezeFolder, url, writeProduct, writeSite} from '../site.ts';

/** The size of the site. */
export interface Size {
  readonly products: number;
  readonly rows: number;
}

/** The statements of a product. */
export interface Queries {
  readonly figures: string;
  readonly rows: string;
}

const SOURCE = 'scores';
const HOSTS = 1000;
const SHARD = 1000;
/** The most rows that a product sells. */
const LIMIT = 100;

/** Writes a site of query products over one list. Returns the path of the list. */
export async function writeQuerySite(root: string, {products, rows}: Size): Promise<string> {
  await writeSite(root);
  const list = join(await freezeFolder(root, SOURCE), 'scores.csv');
  await writeFile(list, listOf(rows));
  await describe(list, {
    fields: [
      url,
      {name: 'host', type: 'string', constraints: {required: true}},
      classField,
      {name: 'shard', type: 'integer', constraints: {required: true}},
      {name: 'score', type: 'number', constraints: {required: true}},
    ],
    primaryKey: ['url'],
  });
  for (const [index, queries] of queriesOf({products, rows}).entries())
    await writeProduct(root, {title: `Query ${index}`, kind: 'query', price: '$0.05', source: SOURCE, ...queries});
  return list;
}

/** The queries of every product: the share of a class and its largest hosts, or the best rows of a shard. */
export function queriesOf({products, rows}: Size): Queries[] {
  const shards = Math.ceil(rows / SHARD);
  return Array.from({length: products}, (_, index) => {
    const shape = SHAPES[index % SHAPES.length] ?? ofShard;
    const turn = Math.floor(index / SHAPES.length);
    return shape(turn % shards, CLASSES[turn % CLASSES.length] ?? 'dead', turn / products);
  });
}

type Shape = (shard: number, share: string, least: number) => Queries;

const ofHosts: Shape = (_, share, least) => ({
  figures: `SELECT count(*) AS rows_n, count(*) FILTER (class = '${share}') AS share_n, share_n / rows_n AS ratio FROM rows WHERE score >= ${least}`,
  rows: `SELECT host, count(*) AS n, sum(score::DECIMAL(18, 4)) AS total FROM rows WHERE class = '${share}' AND score >= ${least} GROUP BY host ORDER BY total DESC, host LIMIT ${LIMIT}`,
});

const ofShard: Shape = (shard, share) => ({
  figures: `SELECT count(*) AS shard_n, min(score) AS least, max(score) AS most FROM rows WHERE shard = ${shard}`,
  rows: `SELECT url, class, score FROM rows WHERE shard = ${shard} AND class <> '${share}' ORDER BY score DESC, url LIMIT ${LIMIT}`,
});

const SHAPES: readonly Shape[] = [ofHosts, ofShard];

/** Returns distinct unsorted addresses, each with a host, a class, a shard and a score. */
function listOf(rows: number): string {
  const lines = Array.from({length: rows}, (_, row) => {
    const scattered = (row * 2654435761) % 2 ** 32;
    const host = `host-${scattered % HOSTS}.example`;
    const share = CLASSES[(scattered >>> 7) % CLASSES.length] ?? 'dead';
    return `https://${host}/path/${row},${host},${share},${Math.floor(row / SHARD)},${(scattered % 10_007) / 10_007}\n`;
  });
  return `url,host,class,shard,score\n${lines.join('')}`;
}
