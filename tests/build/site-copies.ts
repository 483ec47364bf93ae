import {rmSync} from 'node:fs';
import {cp, mkdtemp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {siteIn, type SiteFixture} from './site-fixture.ts';

/** Returns a function that copies a site. The site is made once per process, because a build takes much longer than a copy. */
export function copiesOf(make: () => Promise<SiteFixture>): () => Promise<SiteFixture> {
  let original: Promise<SiteFixture> | undefined;
  return async () => {
    original ??= make().then(site => {
      process.once('exit', () => {
        rmSync(site.root, {recursive: true, force: true});
      });
      return site;
    });
    const {root} = await original;
    const copy = await mkdtemp(join(tmpdir(), 'frozen-site-'));
    await cp(root, copy, {recursive: true, preserveTimestamps: true, verbatimSymlinks: true});
    return siteIn(copy);
  };
}
