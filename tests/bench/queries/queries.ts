import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {paragraphs, type Bench} from '../bench.ts';
import {buildsOf} from '../measure/builds.ts';
import {figure} from '../measure/spread.ts';
import {inTurns, turnsFigures, turnsTable, type Contender} from '../measure/turns.ts';
import {queriesOf, writeQuerySite, type Size} from './query-site.ts';

const BARE_QUERIES = join(import.meta.dirname, 'bare-queries.js');
const BARE = 'the same statements, bare';

const extents = {
  full: {products: 300, rows: 100_000, rounds: 5},
  quick: {products: 20, rows: 5_000, rounds: 1},
} as const;

/**
 * Measures builds of many products of kind `query` over one list, compared with one DuckDB connection that runs the
 * same statements.
 */
export const queries: Bench = async ({extent, former, folder, showProgress}) => {
  const {rounds, ...size} = extents[extent];
  const turns = await inTurns(await contendersIn(folder, size, former), rounds, showProgress);
  return {
    figures: {...size, turns: turnsFigures(turns)},
    text: paragraphs(
      `${figure(size.products)} query products over one list of ${figure(size.rows)} rows, compared with their ${figure(2 * size.products)} statements.`,
      turnsTable(turns),
    ),
    failures: [],
  };
};

/** Every build is the first build of its site. */
async function contendersIn(folder: string, size: Size, former?: string): Promise<Contender[]> {
  const prepare = (root: string) => writeQuerySite(root, size);
  const list = await writeQuerySite(join(folder, 'list'), {...size, products: 0});
  const file = join(folder, 'statements.json');
  await writeFile(file, JSON.stringify(queriesOf(size)));
  return [
    {name: BARE, command: () => [process.execPath, BARE_QUERIES, list, file]},
    ...buildsOf(join(folder, 'site'), [{name: 'build', against: [BARE], prepare}], former),
  ];
}
