import assert from 'node:assert/strict';
import {cp} from 'node:fs/promises';
import {after, before, describe, it} from 'node:test';
import {emptySite, type SiteFixture} from '../site-fixture.ts';
import {goodSite, stateOf, type BadInput} from './bad-input.ts';

/** Tests that every bad input of some tables is refused; the tables are named after where it stands. */
export function testRefusals(tables: Readonly<Record<string, readonly BadInput[]>>): void {
  let built: SiteFixture;

  before(async () => {
    built = await goodSite();
    assert.equal((await built.build()).err, '');
  });
  after(() => built[Symbol.asyncDispose]());

  for (const [input, table] of Object.entries(tables)) {
    describe(`the generator, given bad input in ${input}`, {concurrency: 4}, () => {
      for (const bad of table) it(`refuses ${bad.name}`, () => refuses(built, bad));
    });
  }
}

/** Breaks a copy of the good site, builds it, and looks at the answer, and whether anything at all changed below the root. */
async function refuses(built: SiteFixture, {breaks, says}: BadInput): Promise<void> {
  await using site = await emptySite();
  await cp(built.root, site.root, {recursive: true});
  await breaks(site);
  const standing = await stateOf(site.root);
  const {code, out, err} = await site.build();
  if (says instanceof RegExp) assert.match(err, says);
  else assert.equal(err, `${[says].flat().join('\n')}\n`);
  assert.doesNotMatch(err, /\n\s+at /);
  assert.doesNotMatch(err, new RegExp(site.root));
  assert.deepEqual({code, out}, {code: 1, out: ''});
  assert.deepEqual(await stateOf(site.root), standing);
}
