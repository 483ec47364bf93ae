import {join} from 'node:path';
import {paragraphs, type Bench} from '../bench.ts';
import {formerName, formerSite, siteFolder} from '../measure/builds.ts';
import {buildOf} from '../measure/commands.ts';
import {run} from '../measure/process-run.ts';
import {figure} from '../measure/spread.ts';
import {inTurns, runsOf, turnsFigures, turnsTable, type Measured} from '../measure/turns.ts';
import {contendersIn, names, sitesIn, writtenBy} from './contenders.ts';
import {writeManyProducts, type Size} from './many.ts';
import {filesBelow, outputOf} from './peers.ts';
import {speedsOf, speedTable, type Written} from './speed.ts';

const extents = {
  full: {products: 10_000, sources: 100, rounds: 3},
  quick: {products: 500, sources: 20, rounds: 1},
} as const;

/** The larger site, which shows the memory per additional product, has this many times as many products. */
const MORE = 1.5;

const FEW = {products: 50, sources: 5} as const;

/** Measures builds of a site of many products, compared with a static generator and minimal scripts. */
export const products: Bench = async ({extent, former, folder, showProgress}) => {
  const {rounds, ...size} = extents[extent];
  showProgress('writing the sites');
  const peakOfFew = await peakOver(join(folder, 'few'), FEW);
  const model = join(folder, 'model');
  await peakOver(model, size);
  const turns = await inTurns(
    await contendersIn(folder, size, await outputOf(model, size.products), former),
    rounds,
    showProgress,
  );
  const written = await writtenIn(folder, turns);
  const speeds = speedsOf(turns, written);
  const peak = Math.max(...runsOf(turns, names.cold).map(each => each.mebibytes));
  const more = {products: size.products * MORE, sources: size.sources * MORE};
  showProgress('writing and building a larger site');
  const peakOfMore = await peakOver(join(folder, 'more'), more);
  const growth = ((peakOfMore - peak) / (more.products - size.products)) * 1000;
  return {
    figures: {...size, written, peaks: {peak, peakOfFew, peakOfMore, growth}, turns: turnsFigures(turns), speeds},
    text: paragraphs(
      [
        `${figure(size.products)} products over ${figure(size.sources)} sources. Every file below public/ and paywall/rules/ counts.`,
        'The peers write as many files of the same sizes.',
      ].join('\n'),
      turnsTable(turns),
      speedTable(speeds),
      [
        `Peak of a cold build: ${figure(peak)} MiB; of ${FEW.products} products over ${FEW.sources} sources: ${figure(peakOfFew)} MiB;`,
        `of ${figure(more.products)} over ${figure(more.sources)}: ${figure(peakOfMore)} MiB, ${figure(growth, 1)} for each 1,000 more.`,
      ].join('\n'),
    ),
    failures: [],
  };
};

/** Returns the peak MiB of the first build of a site. */
async function peakOver(root: string, size: Size): Promise<number> {
  await writeManyProducts(root, size, 0);
  return (await run(buildOf(root))).mebibytes;
}

/** Returns the output of the cold builds of the first round. */
async function writtenIn(folder: string, turns: readonly Measured[]): Promise<Written> {
  const written: Written = {};
  const isMeasured = (name: string) => turns.some(each => each.name === name);
  for (const name of [names.hugo, names.eleventy, names.floor].filter(isMeasured))
    written[name] = await filesBelow(writtenBy(folder, name, 0));
  const sites = {[formerName(names.cold)]: formerSite(sitesIn(folder)), [names.cold]: sitesIn(folder)};
  for (const [name, site] of Object.entries(sites).filter(([name]) => isMeasured(name)))
    written[name] = await filesBelow(...['public', 'paywall/rules'].map(part => join(siteFolder(site, 0), part)));
  return written;
}
