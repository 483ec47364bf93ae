import assert from 'node:assert/strict';
import {cpSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {CATALOGUE_FILE} from '../../../shared/paths.ts';
import {emptySite, type FreezeFixture, type SiteFixture} from '../site-fixture.ts';
import {goodSite, stateOf, type BadInput} from './bad-input.ts';

/** The table of cases that break the output. */
export const WRITES = 'the folders it writes';

/**
 * Tests that every bad input of some tables is refused. Tables are named by the place of the input.
 *
 * @param lists those of the site, because the build of each takes time. All by default
 */
export function testRefusals(
  tables: Readonly<Record<string, readonly BadInput[]>>,
  lists?: readonly FreezeFixture[],
): void {
  let built: SiteFixture;

  before(async () => {
    built = await goodSite(lists);
    assert.equal((await built.build()).err, '');
  });
  after(() => built[Symbol.asyncDispose]());

  for (const [input, table] of Object.entries(tables)) {
    describe(`the generator, given bad input in ${input}`, {concurrency: 4}, () => {
      for (const bad of table) it(`refuses ${bad.name}`, () => refuses(built, input, bad));
    });
  }
}

/**
 * Copies a site with its catalogue only, unless the test breaks the output, because copying all files takes most of the
 * time.
 */
function copySite(from: string, to: string, input: string): void {
  const parts = input === WRITES ? ['data', 'public', 'paywall'] : ['data', CATALOGUE_FILE];
  for (const part of parts) cpSync(join(from, part), join(to, part), {recursive: true});
}

/** Breaks a copy of the valid site, builds it, and checks the error and that nothing changed below the root. */
async function refuses(built: SiteFixture, input: string, {breaks, says}: BadInput): Promise<void> {
  await using site = await emptySite();
  copySite(built.root, site.root, input);
  await breaks(site);
  const standing = stateOf(site.root);
  const {code, out, err} = await site.build();
  if (says instanceof RegExp) assert.match(err, says);
  else assert.equal(err, `${[says].flat().join('\n')}\n`);
  assert.doesNotMatch(err, /\n\s+at /);
  assert.doesNotMatch(err, new RegExp(site.root));
  assert.deepEqual({code, out}, {code: 1, out: ''});
  assert.deepEqual(stateOf(site.root), standing);
}
