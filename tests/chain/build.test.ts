import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import type {Catalogue} from '../../shared/shapes.ts';
import {build} from '../../build/build.ts';
import {BuildCache} from '../../build/cache.ts';
import {readFreezes} from '../../build/read/freezes.ts';
import {located} from '../../build/read/json-file.ts';
import {EVENT_BUNDLE} from '../build/site-fixture.ts';
import {readJson} from '../build/tree.ts';
import {chainedSite, DATES, descriptorOf, type ChainedSite} from './chained-site.ts';

const [MARCH, APRIL, MAY, JUNE] = DATES;

const sourcesOf = async ({root}: ChainedSite) =>
  ((await readJson(root, 'public/api/v1/index.json')) as unknown as Catalogue).sources;

/** Edits the descriptor of a freeze. */
async function edit({root}: ChainedSite, date: string, change: (text: string) => string): Promise<void> {
  const file = join(root, descriptorOf(date));
  const text = await readFile(file, 'utf8');
  assert.notEqual(change(text), text);
  await writeFile(file, change(text));
}

test('the catalogue lists the chain of a source from its beginning, and no freezes before it', async () => {
  await using site = await chainedSite([MARCH]);
  await site.put(APRIL);
  assert.equal((await site.build()).err, '');
  assert.equal(await sourcesOf(site), undefined);
  await site.put(MAY, APRIL);
  await site.put(JUNE, MAY);
  assert.equal((await site.build()).err, '');
  const link = async (date: string, before?: string) => {
    const previous = before === undefined ? {} : {previous: await site.digest(before)};
    return {date, as_of: `${date}T12:00:00.000Z`, descriptor: await site.digest(date), ...previous};
  };
  const freezes = [await link(MARCH), await link(APRIL), await link(MAY, APRIL), await link(JUNE, MAY)];
  assert.deepEqual(await sourcesOf(site), [{name: 'deny-list', freezes}]);
});

test('a build that composes no document of a source again lists its chain, and finds its breaks', async () => {
  await using site = await chainedSite();
  const home = join(site.root, 'cache');
  const run = () => build({root: site.root, home});
  await run();
  const reported = await sourcesOf(site);
  assert.equal(reported?.[0]?.freezes.length, DATES.length);
  await site.freeze({source: 'events', files: {'list.json': '[]'}, format: 'json'});
  await site.write('data/products/events.json', {...EVENT_BUNDLE, source: 'events'});
  assert.deepEqual([...new BuildCache(home, site.root).groups().keys()], ['deny-list']);
  await run();
  assert.deepEqual(await sourcesOf(site), reported);
  await edit(site, APRIL, text => text.replace('T00:00:00Z', 'T00:00:01Z'));
  await assert.rejects(run(), /2026-05-01\/datapackage\.json:\d+: previous .* is not the SHA-256/);
  assert.deepEqual(await sourcesOf(site), reported);
});

test('a descriptor whose line ends git changed is refused as such, because its digest would differ between checkouts', async () => {
  await using site = await chainedSite();
  await edit(site, JUNE, text => text.replaceAll('\n', '\r\n'));
  const {err} = await site.build();
  assert.match(
    err,
    /^data\/sources\/deny-list\/2026-06-01\/datapackage\.json has CR LF line ends, but was frozen with LF.*gitattributes/,
  );
});

test('a rewritten chain is refused, with the apparent change', async () => {
  const attacks: Readonly<Record<string, {attack: (site: ChainedSite) => Promise<void>; says: RegExp}>> = {
    'a freeze with replaced rows and digest': {
      attack: site => site.put(MAY, APRIL, 'url,class\nhttps://new.example/,dead\n'),
      says: /^data\/sources\/deny-list\/2026-06-01\/datapackage\.json:\d+: previous "[0-9a-f]{64}" is not the SHA-256 of the descriptor of 2026-05-01, the freeze before it: that was changed, or a freeze between the two was removed \(restore it from git; .*\)$/,
    },
    'a descriptor in which one character changed': {
      attack: site => edit(site, APRIL, text => text.replace('T00:00:00Z', 'T01:00:00Z')),
      says: /^data\/sources\/deny-list\/2026-05-01\/datapackage\.json:\d+: previous .* of 2026-04-01, .*\)$/,
    },
    'a removed freeze': {
      attack: site => site.take(APRIL),
      says: /^data\/sources\/deny-list\/2026-05-01\/datapackage\.json:\d+: previous .* 2026-03-01, .* removed .*\)$/,
    },
    'the first freeze taken out': {
      attack: site => site.take(MARCH),
      says: /2026-04-01\/datapackage\.json:\d+: previous "[0-9a-f]{64}" refers to a freeze before it that is missing: it was removed \(restore it from git; .*\)$/,
    },
    'an inserted freeze': {
      attack: site => site.put('2026-04-15', APRIL),
      says: /^data\/sources\/deny-list\/2026-04-15\/datapackage\.json was inserted later: 2026-05-01 names an older freeze as the one before it$/,
    },
    'an inserted freeze without the member': {
      attack: site => site.put('2026-04-15'),
      says: /^data\/sources\/deny-list\/2026-04-15\/datapackage\.json was inserted later: .*$/,
    },
    'the member taken out of the last freeze': {
      attack: site =>
        edit(site, JUNE, text => text.replace(/ *"previous": "[0-9a-f]+",?\n/, '').replace(/,\n}/, '\n}')),
      says: /^data\/sources\/deny-list\/2026-06-01\/datapackage\.json does not have a "previous" although it is part of a chain: .*$/,
    },
    'a member that is not a digest': {
      attack: site => edit(site, JUNE, text => text.replace(/("previous": ")[0-9a-f]/, '$1G')),
      says: /2026-06-01\/datapackage\.json:\d+: previous "G[0-9a-f]{63}" is not 64 lower-case hexadecimal digits$/,
    },
  };
  for (const [name, {attack, says}] of Object.entries(attacks)) {
    await using site = await chainedSite();
    await readFreezes(site.root, 'deny-list');
    await attack(site);
    const read = located(site.root, () => readFreezes(site.root, 'deny-list'));
    await assert.rejects(read, ({message}: Error) => says.test(message), name);
  }
});
