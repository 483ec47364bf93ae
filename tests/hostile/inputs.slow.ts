import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cp, mkdir, rename, rm, symlink, truncate, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {DENY, EVENTS} from '../build/bad-input/bad-input.ts';
import {checkDigest} from '../../build/read/digest.ts';
import {readFreezes} from '../../build/read/freezes.ts';
import {survey} from '../../build/rows/survey.ts';
import {freezeFixture} from '../scripts/freeze-fixture.ts';
import {CLASS_SHARE, DENY_SCHEMA, emptySite, EVENT_BUNDLE, SITE, type SiteFixture} from '../build/site-fixture.ts';

/** A change to a good site, and the expected end of its build: these lines, or `well`. */
type Case = readonly [what: string, attack: (site: SiteFixture) => Promise<unknown>, ends: string | RegExp];

const PRODUCT = 'data/products/x.json';
const SITE_FILE = 'data/site.json';
const FREEZE = 'data/sources/deny-list/2026-05-01';
const DESCRIPTOR = `${FREEZE}/datapackage.json`;
const OUT = "is a link that leads out of the site's folder";

/** Puts a link in place of a file or folder. */
const linked =
  (path: string, target: string) =>
  async ({root}: SiteFixture) => {
    await rm(join(root, path), {recursive: true, force: true});
    await symlink(target, join(root, path));
  };

/** Moves a file or folder and puts a link to it in its place. `outside/` is next to the root. */
const moved =
  (path: string, to: string) =>
  async ({root}: SiteFixture) => {
    const target = to.startsWith('outside/') ? join(`${root}-outside`, to) : join(root, to);
    await mkdir(dirname(target), {recursive: true});
    await rename(join(root, path), target);
    await symlink(target, join(root, path));
  };

const pipe =
  (path: string) =>
  async ({root}: SiteFixture) => {
    await rm(join(root, path), {force: true});
    execFileSync('mkfifo', [join(root, path)]);
  };

/** Writes a sparse file, which uses no disk space. */
const long =
  (path: string, bytes: number) =>
  async ({root}: SiteFixture) => {
    await writeFile(join(root, path), '{');
    await truncate(join(root, path), bytes);
  };

const written = (path: string, content: string | object) => (site: SiteFixture) => site.write(path, content);
const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const links: readonly Case[] = [
  ['a product that is a device', linked(PRODUCT, '/dev/zero'), `${PRODUCT} ${OUT}`],
  ['a product that is another device', linked(PRODUCT, '/dev/random'), `${PRODUCT} ${OUT}`],
  ['a product that is this process', linked(PRODUCT, '/proc/self/mem'), `${PRODUCT} ${OUT}`],
  ['a product that is a secret', linked(PRODUCT, '/etc/passwd'), `${PRODUCT} ${OUT}`],
  ['a product by two links', async site => { await linked('data/a', '/dev')(site); await linked(PRODUCT, '../a/zero')(site); }, `${PRODUCT} ${OUT}`], // prettier-ignore
  ['a product that is a pipe', pipe(PRODUCT), `${PRODUCT} is not a regular file`],
  ['a product that links to a pipe', async site => { await pipe('pipe')(site); await linked(PRODUCT, '../../pipe')(site); }, `${PRODUCT} is not a regular file`], // prettier-ignore
  ['a product that links to itself', linked(PRODUCT, 'x.json'), `${PRODUCT} cannot be read (ELOOP)`],
  ['a product that links to a folder', linked(PRODUCT, '../sources'), `${PRODUCT} is a folder, not a file`],
  ['a product outside', moved('data/products/soft-fail-3.json', 'outside/a.json'), `data/products/soft-fail-3.json ${OUT}`],
  ['a product elsewhere inside', moved('data/products/soft-fail-3.json', 'drafts/a.json'), 'well'],
  ['all products outside', moved('data/products', 'outside/products'), `data/products ${OUT}`],
  ['all products elsewhere inside', moved('data/products', 'drafts/products'), 'well'],
  ['the site that is a device', linked(SITE_FILE, '/dev/zero'), `${SITE_FILE} ${OUT}`],
  ['the site that is a pipe', pipe(SITE_FILE), `${SITE_FILE} is not a regular file`],
  ['the site outside', moved(SITE_FILE, 'outside/site.json'), `${SITE_FILE} ${OUT}`],
  ['the site elsewhere inside', moved(SITE_FILE, 'site.json'), 'well'],
  ['all data outside', moved('data', 'outside/data'), [`${SITE_FILE} ${OUT}`, `data/products ${OUT}`].join('\n')],
  ['all data elsewhere inside', moved('data', 'moved'), 'well'],
  ['a descriptor that is a device', linked(DESCRIPTOR, '/dev/zero'), `${DESCRIPTOR} ${OUT}`],
  ['a descriptor that is a pipe', pipe(DESCRIPTOR), `${DESCRIPTOR} is not a regular file`],
  ['a descriptor outside', moved(DESCRIPTOR, 'outside/datapackage.json'), `${DESCRIPTOR} ${OUT}`],
  ['a freeze outside', moved(FREEZE, 'outside/freeze'), `${FREEZE} is a link, and must be a folder`],
  ['a source outside', moved('data/sources/deny-list', 'outside/deny-list'), 'data/sources/deny-list is a link that leads out of data/sources'],
  ['a source that is the whole disk', linked('data/sources/deny-list', '/'), 'data/sources/deny-list is a link that leads out of data/sources'],
  ['all sources outside', moved('data/sources', 'outside/sources'), `data/sources ${OUT}`],
  ['all sources elsewhere inside', moved('data/sources', 'lists'), 'well'],
  ['rows that are a device', linked(`${FREEZE}/deny-list.csv`, '/dev/zero'), /path "deny-list.csv" leads out of the freeze\n$/],
  ['rows that are a pipe', pipe(`${FREEZE}/deny-list.csv`), /path "deny-list.csv" is not a file\n$/],
]; // prettier-ignore

const sizes: readonly Case[] = [
  ['a product of 600 MB', long(PRODUCT, 600e6), `${PRODUCT} has 600000000 bytes, and may have at most 1 MiB`],
  ['a product of 5 TB', long(PRODUCT, 5e12), `${PRODUCT} has 5000000000000 bytes, and may have at most 1 MiB`],
  ['a product of a byte too much', long(PRODUCT, 2 ** 20 + 1), `${PRODUCT} has 1048577 bytes, and may have at most 1 MiB`],
  ['a product of just as much', written(PRODUCT, JSON.stringify({...CLASS_SHARE, title: 'Other'}).padEnd(2 ** 20)), 'well'],
  ['a site of 600 MB', long(SITE_FILE, 600e6), `${SITE_FILE} has 600000000 bytes, and may have at most 1 MiB`],
  ['a descriptor of 600 MB', long(DESCRIPTOR, 600e6), `${DESCRIPTOR} has 600000000 bytes, and may have at most 4 MiB`],
  ['events of 70 MB', eventsOf(70e6), /webhook-events\.json has 70000000 bytes, and may have at most 64 MiB/],
  ['a product nested 65 deep', written(PRODUCT, lists(65)), `${PRODUCT} is nested more than 64 levels deep`],
  ['a product nested 500,000 deep', written(PRODUCT, lists(500_000)), `${PRODUCT} is nested more than 64 levels deep`],
  ['a title nested 3,000 deep', written(PRODUCT, `{"kind": "class-share", "title": ${lists(3000)}}`), `${PRODUCT} is nested more than 64 levels deep`],
  ['objects nested 3,000 deep', written(PRODUCT, '{"a":'.repeat(3000)), `${PRODUCT} is nested more than 64 levels deep`],
  ['brackets in texts', written(PRODUCT, {...CLASS_SHARE, title: 'Other', difference: `has "\\${'['.repeat(90)}`}), 'well'],
  ['a site nested 3,000 deep', written(SITE_FILE, `{"title": ${lists(3000)}}`), `${SITE_FILE} is nested more than 64 levels deep`],
  ['a descriptor nested 3,000 deep', written(DESCRIPTOR, lists(3000)), `${DESCRIPTOR} is nested more than 64 levels deep`],
  ['60,000 unknown members', written(PRODUCT, wide(60_000)), /x\.json:2: m0 is not a known field\n(.*\n){19}… and \d+ more\n$/],
  ['100,000 siblings that are not names', written(PRODUCT, JSON.stringify({...CLASS_SHARE, siblings: Array.from({length: 100_000}, () => 7)})), /… and \d+ more\n$/],
  ['20,000 classes of another type', classes(20_000), /datapackage\.json:\d+: .*\n(.*\n)*… and \d+ more\n$/],
]; // prettier-ignore

const DEVICE = 'is a name that Windows reserves for a device';
const twin = (name: string) => `is taken for ${name} on file systems that ignore case or Unicode forms`;
const titled = (title: string) => written(PRODUCT, {...CLASS_SHARE, title});
const slug = (title: string, name: string): Case => [
  `a product with the title ${title}`,
  titled(title),
  `${PRODUCT}:2: title "${title}" gives the name "${name}", which is reserved for a device by Windows`,
];
const folder =
  (name: string) =>
  async ({root}: SiteFixture) =>
    mkdir(join(root, 'data/sources', name));
const listOf = (...paths: readonly string[]) => (site: SiteFixture) =>
  site.freeze({...DENY, files: Object.fromEntries(paths.map((path, index) => [path, `url,class\nhttps://${index}.example/,dead\n`]))}); // prettier-ignore

const names: readonly Case[] = [
  ...['con', 'CON', 'Con!', 'c o n', 'C.O.N.'].map(title => slug(title, 'con')),
  ...['prn', 'aux', 'nul', ...[0, 1, 5, 9].flatMap(n => [`com${n}`, `lpt${n}`])].map(name => slug(name.toUpperCase(), name)),
  ['a product with a title that only begins with such a name', titled('Console'), 'well'],
  ['a product with a title with one more digit', titled('COM 10'), 'well'],
  ['a product in con.json', written('data/products/con.json', {...CLASS_SHARE, title: 'Other'}), `data/products/con.json ${DEVICE}`],
  ['a product in Nul.v2.json', written('data/products/Nul.v2.json', {...CLASS_SHARE, title: 'Other'}), `data/products/Nul.v2.json ${DEVICE}`],
  ['a file COM1 among products', written('data/products/COM1', 'x'), `data/products/COM1 ${DEVICE}`],
  ['two products that differ in case', written('data/products/Soft-Fail-3.json', {...CLASS_SHARE, title: 'Other'}), `data/products/soft-fail-3.json ${twin('Soft-Fail-3.json')}`],
  ...['con', 'aux', 'lpt9', 'com0', 'CONIN$', 'conout$', 'nul.txt', 'COM²', 'prn .old'].map(
    (name): Case => [`a source ${name}`, folder(name), `data/sources/${name} ${DEVICE}`],
  ),
  ['a source com10', folder('com10'), 'well'],
  ['a source nuls', folder('nuls'), 'well'],
  ...['Deny-List', 'deny-li\u017ft', 'deny-lis\uff54', 'deny-list.', 'de\u200bny-list', 'DENY-LIST'].map((name): Case => [
    `a source and its twin ${JSON.stringify(name)}`,
    folder(name),
    new RegExp(`^data/sources/.* is taken for deny.*|^data/sources/deny-list is taken for .*`, 'i'),
  ]),
  ['a list nul.csv', listOf('nul.csv'), `${DESCRIPTOR}:7: resources[0].path "nul.csv" ${DEVICE}`],
  ['a list in a folder aux', listOf('aux/rows.csv'), `${DESCRIPTOR}:7: resources[0].path "aux/rows.csv" ${DEVICE}`],
  ['two files of a list that differ in case', listOf('a.csv', 'A.csv'), `${DESCRIPTOR}:7: resources[0].path "A.csv" ${twin('a.csv')}`],
  ['two files of a list that differ in form', listOf('\u00e9.csv', 'e\u0301.csv'), new RegExp(twin('\u00e9.csv'))],
]; // prettier-ignore

function eventsOf(bytes: number) {
  return async (site: SiteFixture) => {
    await site.write(PRODUCT, EVENT_BUNDLE);
    await site.freeze(EVENTS);
    await long('data/sources/webhook-events/2026-05-01/webhook-events.json', bytes)(site);
  };
}

function wide(members: number): object {
  const unknown = Array.from({length: members}, (_, index) => [`m${index}`, 0] as const);
  return {...Object.fromEntries(unknown), ...CLASS_SHARE};
}

function classes(count: number) {
  const constraints = {enum: Array.from({length: count}, (_, index) => index)};
  const fields = [DENY_SCHEMA.fields[0], {name: 'class', type: 'string', constraints}];
  return (site: SiteFixture) => site.freeze({...DENY, schema: {...DENY_SCHEMA, fields}});
}

let good: SiteFixture;

before(async () => {
  good = await emptySite();
  await good.write(SITE_FILE, SITE);
  await good.write('data/products/soft-fail-3.json', CLASS_SHARE);
  await good.freeze(DENY);
});
after(() => good[Symbol.asyncDispose]());

for (const [input, cases] of Object.entries({
  'links and devices': links,
  'long and deep files': sizes,
  'names that disks refuse': names,
})) {
  describe(`a build of a site with ${input}`, () => {
    for (const [what, attack, ends] of cases)
      it(`${ends === 'well' ? 'accepts' : 'refuses'} ${what}`, () => endsSo(attack, ends));
  });
}

async function endsSo(attack: Case[1], ends: Case[2]): Promise<void> {
  await using site = await emptySite();
  await using outside = {[Symbol.asyncDispose]: () => rm(`${site.root}-outside`, {recursive: true, force: true})};
  await cp(good.root, site.root, {recursive: true});
  await attack(site);
  const {code, err} = await site.build();
  if (ends instanceof RegExp) assert.match(err, ends);
  else assert.equal(err, ends === 'well' ? '' : `${ends}\n`);
  assert.equal(code, ends === 'well' ? 0 : 1);
  assert.doesNotMatch(err, /\n\s+at /);
  assert.ok(outside);
}

/** The replacement of a list after its descriptor was read, and the expected error. */
const swapped: readonly Case[] = [
  ['the same file outside', moved(`${FREEZE}/deny-list.csv`, 'outside/deny-list.csv'), `${FREEZE}/deny-list.csv ${OUT}`],
  ['a device', linked(`${FREEZE}/deny-list.csv`, '/dev/null'), `${FREEZE}/deny-list.csv ${OUT}`],
  ['a pipe', pipe(`${FREEZE}/deny-list.csv`), `${FREEZE}/deny-list.csv is not a regular file`],
  ['nothing', ({root}) => rm(join(root, FREEZE, 'deny-list.csv')), /deny-list\.csv does not exist|ENOENT/],
]; // prettier-ignore

describe('a list that was replaced after its descriptor was read is not opened', () => {
  for (const [what, attack, rule] of swapped)
    it(`by ${what}`, async () => {
      await using site = await emptySite();
      await using outside = {[Symbol.asyncDispose]: () => rm(`${site.root}-outside`, {recursive: true, force: true})};
      await cp(good.root, site.root, {recursive: true});
      const [freeze] = await readFreezes(site.root, 'deny-list');
      assert.ok(freeze && outside);
      await attack(site);
      const message = rule instanceof RegExp ? rule : {message: rule};
      await assert.rejects(survey(freeze, 2), message);
      await assert.rejects(
        checkDigest(freeze, () => undefined),
        message,
      );
    });
});

/** The source for `freeze`, a change to the site before it, and the expected message. */
const freezes: readonly (readonly [source: string, before: (site: SiteFixture) => Promise<unknown>, says: RegExp | ''])[] = [
  ['con', () => Promise.resolve(), /^data\/sources\/con is a name that Windows reserves for a device\n$/],
  ['com9', () => Promise.resolve(), /^data\/sources\/com9 is a name that Windows reserves for a device\n$/],
  ['con-list', () => Promise.resolve(), ''],
  ['deny-list', folderOf('Deny-List'), /^data\/sources\/deny-list is taken for Deny-List on/],
  ['deny-list', folderOf('deny-li\u017ft'), /^data\/sources\/deny-list is taken for deny-li.t on/],
  ['deny-list', site => moved('data/sources', 'outside/sources')(site), /^data\/sources is a link that leads out of the site's folder\n$/],
  ['deny-list', async site => { await site.freeze(DENY); await linked(DESCRIPTOR, '/dev/zero')(site); }, /datapackage\.json is a link that leads out of the site's folder\n$/],
  ['deny-list', async site => { await site.freeze(DENY); await long(DESCRIPTOR, 600e6)(site); }, /datapackage\.json has 600000000 bytes, and may have at most 4 MiB\n$/],
]; // prettier-ignore

function folderOf(name: string) {
  return (site: SiteFixture) => mkdir(join(site.root, 'data/sources', name), {recursive: true});
}

describe('freeze', () => {
  for (const [source, attack, says] of freezes)
    it(`${says === '' ? 'creates' : 'refuses'} ${source}, ${String(says)}`, async () => {
      await using fixture = await freezeFixture();
      const {site} = fixture;
      await using outside = {[Symbol.asyncDispose]: () => rm(`${site.root}-outside`, {recursive: true, force: true})};
      await mkdir(join(site.root, 'data/sources'), {recursive: true});
      await attack(site);
      const list = await fixture.list('Aux.csv', 'url,class\nhttps://a.example/,dead\n');
      const {code, err} = await fixture.freeze(source, list, '--as-of', '2026-06-01');
      if (says === '')
        assert.equal((await fixture.descriptor(source, '2026-06-01')).resources[0].path, 'list-Aux.csv', err);
      else assert.match(err, says);
      assert.equal(code, says === '' ? 0 : 1);
      assert.ok(outside);
    });
});
