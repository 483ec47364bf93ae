import {readFile, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {sha256} from '../../shared/digest.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite, type SiteFixture} from '../build/site-fixture.ts';

export const DATES = ['2026-03-01', '2026-04-01', '2026-05-01', '2026-06-01'] as const;

/** A bundle. Its sample names the price of Soft Fail 3. */
export const SOFT_PASS = {
  ...{title: 'Soft Pass', kind: 'bundle', price: '$0.05', bundle: ['softfail3'], next: 2},
  difference: 'sells the next snapshots, too',
};

export const descriptorOf = (date: string) => `data/sources/deny-list/${date}/datapackage.json`;

/** A site with several freezes of its deny list. */
export interface ChainedSite extends SiteFixture {
  /** Writes the freeze of a date, after that of another date, with other rows if there are any. */
  put(date: string, after?: string, rows?: string): Promise<void>;
  /** Removes the freeze of a date. */
  take(date: string): Promise<void>;
  move(from: string, to: string): Promise<void>;
  digest(date: string): Promise<string>;
}

/** Makes a site with a freeze for each date. All except the first name the one before. */
export async function chainedSite(dates: readonly string[] = DATES): Promise<ChainedSite> {
  const site = await emptySite();
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  const at = (path: string) => join(site.root, path);
  const digest = async (date: string) => sha256(await readFile(at(descriptorOf(date))));
  const chained: ChainedSite = {
    ...site,
    digest,
    async put(date, after, rows = `${DENY_CSV}https://${date}.example/,dead\n`) {
      await chained.take(date);
      const descriptor = after === undefined ? {} : {previous: await digest(after)};
      await site.freeze({source: 'deny-list', date, files: {'list.csv': rows}, schema: DENY_SCHEMA, descriptor});
    },
    take: date => rm(at(`data/sources/deny-list/${date}`), {recursive: true, force: true}),
    move: (from, to) => rename(at(`data/sources/deny-list/${from}`), at(`data/sources/deny-list/${to}`)),
  };
  for (const [index, date] of dates.entries()) await chained.put(date, dates[index - 1]);
  return chained;
}
