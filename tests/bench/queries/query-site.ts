import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {CLASSES, classField, describe, freezeFolder, url, writeProduct, writeSite} from '../site.ts';

/** How large the site is. */
export interface Size {
  readonly products: number;
  readonly rows: number;
}

/** What a product asks. */
export interface Queries {
  readonly figures: string;
  readonly rows: string;
}

const SOURCE = 'scores';
const HOSTS = 1000;
/** Rows of one shard: the most that a product sells. */
const SHARD = 1000;

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

/** The queries of every product: shares of a class, the hosts of a class, the rows of a shard, the best of a shard by class. */
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
  rows: `SELECT host, count(*) AS n, sum(score::DECIMAL(18, 4)) AS total FROM rows WHERE class = '${share}' AND score >= ${least} GROUP BY host ORDER BY host`,
});

const ofShard: Shape = (shard, share) => ({
  figures: `SELECT count(*) AS shard_n, min(score) AS least, max(score) AS most FROM rows WHERE shard = ${shard}`,
  rows: `SELECT url, class, score FROM rows WHERE shard = ${shard} AND class <> '${share}' ORDER BY score DESC, url`,
});

const ofPlaces: Shape = (shard, share) => ({
  figures: `SELECT list(DISTINCT class ORDER BY class) AS classes, sum(score::DECIMAL(18, 4)) FILTER (class = '${share}') / count(score) FILTER (class = '${share}') AS mean FROM rows WHERE shard = ${shard}`,
  rows: `WITH placed AS (SELECT class, url, row_number() OVER (PARTITION BY class ORDER BY score DESC, url) AS place FROM rows WHERE shard = ${shard})
    SELECT class, place, url FROM placed WHERE place <= 100 ORDER BY class, place`,
});

const SHAPES: readonly Shape[] = [ofHosts, ofShard, ofPlaces];

/** Distinct addresses in no order, each with a host, a class, a shard and a score. */
function listOf(rows: number): string {
  const lines = Array.from({length: rows}, (_, row) => {
    const scattered = (row * 2654435761) % 2 ** 32;
    const host = `host-${scattered % HOSTS}.example`;
    const share = CLASSES[(scattered >>> 7) % CLASSES.length] ?? 'dead';
    return `https://${host}/path/${row},${host},${share},${Math.floor(row / SHARD)},${(scattered % 10_007) / 10_007}\n`;
  });
  return `url,host,class,shard,score\n${lines.join('')}`;
}
