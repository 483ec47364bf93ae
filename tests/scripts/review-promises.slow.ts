import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {CATALOGUE_FILE} from '../../shared/paths.ts';
import {figureChanges} from '../../scripts/review/figures.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, EVENT_BUNDLE, SITE, type SiteFixture} from '../build/site-fixture.ts';
import type {RowsChange} from '../../scripts/review/report.ts';
import {buildIn, codes, commit, committedSite, edit, freezeDeny, git, reviewJson, runReview} from './reviewed.ts';

const SAMPLE_SCHEMA = 'public/api/v1/schemas/softfail3.sample.json';

/** Changes a committed site, and returns the findings of the review with its exit code. */
async function found(change: (site: SiteFixture) => Promise<void>, prepare?: (site: SiteFixture) => Promise<void>) {
  await using site = await committedSite();
  if (prepare) {
    await prepare(site);
    commit(site.root);
  }
  await change(site);
  // Compares two revisions, because some changes edit the output of a build.
  git(site.root, 'add', '--all');
  git(site.root, 'commit', '--quiet', '--allow-empty', '--message=changed');
  const said = await reviewJson(site.root, '--base', 'HEAD~1', '--head', 'HEAD');
  assert.equal(said.status, said.ok ? 0 : 1);
  return {status: said.status, codes: codes(said), says: said.findings.map(({says}) => says)};
}

async function product(site: SiteFixture, members: object): Promise<void> {
  await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, ...members});
  await buildIn(site);
}

test('changed figures and rows for the same as_of break a promise', async () => {
  const {status, codes, says} = await found(site =>
    freezeDeny(site, '2026-05-01', ['a.example soft_fail', 'b.example soft_fail', 'x.example dead', 'y.example dead']),
  );
  assert.equal(status, 1);
  assert.deepEqual(codes, ['broken figures-changed', 'broken rows-changed']);
  assert.match(
    says[0] ?? '',
    /^figures of Soft Fail 3 changed though as_of, 2026-05-01T12:00:00\.000Z, did not: .*counts\.fraud/,
  );
});

test('changed rows for the same as_of break a promise, also with unchanged figures', async () => {
  const {status, codes} = await found(site =>
    freezeDeny(site, '2026-05-01', ['a.example dead', 'b.example soft_fail', 'c.example fraud', 'x.example soft_fail']),
  );
  assert.deepEqual([status, codes], [1, ['broken rows-changed']]);
});

test('changed groups and members of a document for the same as_of break a promise, and changed descriptions do not', async () => {
  const report = {
    title: 'Report',
    kind: 'query',
    price: '$0.05',
    source: 'deny-list',
    difference: 'describes the list',
    figures: 'SELECT count(*) AS listed_n FROM rows',
    document: 'SELECT min(url) AS first, list(url ORDER BY url) AS urls FROM rows',
  };
  const write = async (site: SiteFixture, members: object = {}) => {
    await site.write('data/products/report.json', {...report, ...members});
    await product(site, {by: 'url'});
  };
  const changed = await found(
    site =>
      freezeDeny(site, '2026-05-01', [
        'b.example soft_fail',
        'c.example soft_fail',
        'x.example dead',
        'z.example fraud',
      ]),
    site => write(site),
  );
  const inReport = changed.says.find(says => says.startsWith('figures of Report')) ?? '';
  assert.match(
    inReport,
    /^figures of Report changed though as_of, .*, did not: first, urls; restore what was published, and publish a correction as a new freeze with a later as_of$/,
  );
  const inShares = changed.says.find(says => says.startsWith('figures of Soft Fail 3')) ?? '';
  assert.match(inShares, /groups/);
  const mended = await found(
    site => write(site, {difference: 'describes everything of the list'}),
    site => write(site),
  );
  assert.deepEqual([mended.status, mended.codes], [0, ['warning texts-changed']]);
});

test('additional rows because of a larger max_rows do not break a promise', async () => {
  const {status, codes} = await found(
    site => product(site, {max_rows: 2}),
    site => product(site, {max_rows: 1}),
  );
  assert.deepEqual([status, codes], [0, ['warning texts-changed']]);
});

test('changed events for the same as_of break a promise', async () => {
  const event = (sku: string) => ({type: 'payment_required', payload: {sku, http_status: 402, settle_success: false}});
  const events = async (site: SiteFixture, ...skus: string[]) => {
    await site.write('data/products/bundle.json', EVENT_BUNDLE);
    await site.freeze({
      source: 'webhook-events',
      files: {'events.json': JSON.stringify(skus.map(event))},
      format: 'json',
    });
    await buildIn(site);
  };
  const {status, codes} = await found(
    site => events(site, 'softfail3', 'other'),
    site => events(site, 'softfail3', 'webhookbundle'),
  );
  assert.deepEqual([status, codes], [1, ['broken rows-changed']]);
});

test('changed past points of the history break a promise, once', async () => {
  const points = (rows: string[]) => async (site: SiteFixture) => {
    for (const month of ['04', '05']) await freezeDeny(site, `2026-${month}-01`, rows);
  };
  const {status, codes, says} = await found(points(['a.example soft_fail']), async site => {
    await points(['a.example soft_fail', 'b.example dead'])(site);
    await freezeDeny(site, '2026-06-01', ['a.example soft_fail', 'b.example dead']);
  });
  assert.deepEqual([status, codes], [1, ['broken past-figures-changed']]);
  assert.match(says[0] ?? '', /at 2026-04-01T12:00:00\.000Z, 2026-05-01T12:00:00\.000Z, in its history/);
});

test('a class that becomes optional changes the schema of v1, and its counts do not', async () => {
  const [url, kind] = DENY_SCHEMA.fields;
  const classes = ['fraud', 'dead', 'unable_verify', 'soft_fail', 'spam'];
  const schema = {...DENY_SCHEMA, fields: [url, {...kind, constraints: {enum: classes}}]};
  const {status, codes, says} = await found(async site => {
    await rm(join(site.root, 'data/sources/deny-list/2026-05-01'), {recursive: true});
    await freezeDeny(site, '2026-06-01', ['a.example soft_fail', 'b.example dead'], schema);
  });
  assert.equal(status, 1);
  assert.deepEqual([...new Set(codes)], ['broken breaking-schema', 'warning shape-changed', 'warning history-gone']);
  for (const place of ['examples[].class in the sample', 'rows[].class in the paid'])
    assert.ok(
      says.some(text => text.startsWith(`${place} document of Soft Fail 3: further types allowed`)),
      place,
    );
});

test('a schema that allows less does not break a promise, and is reported as changed', async () => {
  const {status, codes} = await found(site => edit(site.root, SAMPLE_SCHEMA, schema => (schema['minProperties'] = 3)));
  assert.deepEqual([status, codes], [0, ['warning shape-changed']]);
});

test('another key of the site, and a removed one, are warnings', async () => {
  const keyed = (kid?: string) => (site: SiteFixture) =>
    edit(site.root, CATALOGUE_FILE, catalogue => (catalogue['signing'] = kid && {kid, x: kid}));
  const [a, b] = ['A'.repeat(43), 'E'.repeat(43)];
  const other = await found(keyed(b), keyed(a));
  assert.deepEqual([other.status, other.codes], [0, ['warning key-changed']]);
  assert.match(other.says.join(), /another key signs the site, E{43}/);
  assert.match((await found(keyed(), keyed(a))).says.join(), /stopped signing/);
  assert.deepEqual((await found(keyed(a))).codes, []);
});

test('a pass keeps its promise with fewer snapshots and more products, and breaks it with an inserted snapshot', async () => {
  const pass = {title: 'Pass', kind: 'bundle', price: '$0.06', difference: 'sells what comes'};
  const selling = (bundle: string[], next: number, months: string[]) => async (site: SiteFixture) => {
    await site.write('data/site.json', {...SITE, hosts: ['cloudflare']});
    for (const [source, dates] of [
      ['deny-list', months],
      ['busy-list', ['05', '06', '07']],
    ] as const)
      for (const month of dates)
        await site.freeze({source, date: `2026-${month}-01`, files: {'list.csv': DENY_CSV}, schema: DENY_SCHEMA});
    await site.write('data/products/busy.json', {...CLASS_SHARE, title: 'Busy', source: 'busy-list'});
    await site.write('data/products/pass.json', {...pass, bundle, next});
    await buildIn(site);
  };
  const before = selling(['softfail3'], 4, ['05', '07']);
  const fewer = await found(selling(['softfail3', 'busy'], 1, ['05', '07']), before);
  assert.ok(!fewer.says.join().includes('counts snapshots'), fewer.says.join());
  const {status, says} = await found(selling(['softfail3'], 4, ['05', '06', '07']), before);
  assert.equal(status, 1);
  assert.match(
    says.join(),
    /Pass counts snapshots that were inserted into the history of its products, 2026-06-01T12:00:00.000Z, so buyers/,
  );
});

test('another price or parts of a product in a bundle, and another address of the site, do not break the promises of the bundle', async () => {
  const selling =
    (price: string, base_url: string, more: object = {}, names = ['softfail3', 'dead']) =>
    async (site: SiteFixture) => {
      await site.write('data/site.json', {...SITE, base_url, hosts: []});
      const bundle = {
        title: 'Both',
        kind: 'bundle',
        price: '$0.03',
        bundle: names,
        difference: 'sells both',
      };
      await site.write('data/products/dead.json', {...CLASS_SHARE, title: 'Dead', class: 'dead'});
      await site.write('data/products/both.json', bundle);
      await product(site, {price, ...more});
    };
  const before = selling('$0.02', SITE.base_url);
  const dearer = await found(selling('$0.04', SITE.base_url), before);
  assert.deepEqual([dearer.status, dearer.codes], [0, ['warning price-changed']]);
  const elsewhere = await found(selling('$0.02', 'https://moved.example'), before);
  assert.deepEqual([elsewhere.status, elsewhere.codes], [0, ['warning address-changed']]);
  const parts = await found(selling('$0.02', SITE.base_url, {parts: 1}), before);
  assert.deepEqual([parts.status, parts.codes], [0, []]);
  const reordered = await found(selling('$0.02', SITE.base_url, {}, ['dead', 'softfail3']), before);
  assert.match(reordered.says.join('\n'), /^figures of Both changed though as_of, [^ ]+, did not: documents; restore/m);
});

test('a new snapshot of a bundle is shown without the content of its documents', async () => {
  await using site = await committedSite();
  await site.write('data/site.json', {...SITE, hosts: []});
  const both = {title: 'Both', kind: 'bundle', price: '$0.03', bundle: ['softfail3'], next: 1, difference: 'sells it'};
  await site.write('data/products/both.json', both);
  await buildIn(site);
  commit(site.root);
  await freezeDeny(site, '2026-06-01', ['a.example soft_fail', 'b.example soft_fail']);
  const {products} = await reviewJson(site.root);
  const {tables} = products.find(({name}) => name === 'both') ?? assert.fail();
  const {key, changed} = (tables as RowsChange[]).find(({member}) => member === 'paid documents') ?? assert.fail();
  assert.deepEqual(key, ['name']);
  assert.deepEqual(
    changed.shown.map(one => [one.key, one.columns.map(({column}) => column)]),
    [['softfail3', ['as_of', 'sha256']]],
  );
});

test('another kind of a product is one broken promise, also with another price', async () => {
  const {title, source, difference} = CLASS_SHARE;
  const figures = 'SELECT count(*) AS rows_n FROM rows';
  const query = {title, source, difference, kind: 'query', figures, rows: 'SELECT url FROM rows ORDER BY url'};
  const {status, codes, says} = await found(async site => {
    await site.write('data/products/soft-fail-3.json', {...query, price: '$0.09'});
    await buildIn(site);
  });
  assert.deepEqual([status, codes], [1, ['broken kind-changed', 'warning price-changed']]);
  assert.match(
    says[0] ?? '',
    /^the kind of Soft Fail 3 changed from class-share to query, and v1 never changes shape: /,
  );
});

test('a product that is no longer sold breaks a promise', async () => {
  const {status, codes, says} = await found(site => product(site, {title: 'Soft Fail 4'}));
  assert.deepEqual([status, codes], [1, ['broken product-removed', 'warning renamed']]);
  assert.match(
    says[0] ?? '',
    /^Soft Fail 3 is no longer sold, but products of v1 stay for sale: restore its file in data\/products\/ and build again$/,
  );
});

test('an earlier as_of is a warning', async () => {
  const {status, codes} = await found(
    site => product(site, {freeze: '2026-05-01'}),
    site => freezeDeny(site, '2026-06-01', ['a.example soft_fail', 'b.example dead']),
  );
  assert.equal(status, 0);
  assert.equal(codes.includes('warning as-of-back'), true);
});

test('a removed point of the history, and an inserted one, are warnings, which say that buyers refuse them', async () => {
  const months = async (site: SiteFixture) => {
    for (const month of ['06', '07', '08'])
      await freezeDeny(site, `2026-${month}-01`, ['a.example soft_fail', 'b.example dead']);
  };
  const cut = (site: SiteFixture) =>
    edit(site.root, 'public/api/v1/history/softfail3.json', history => (history['points'] as unknown[]).splice(0, 2));
  const gone = await found(cut, months);
  assert.deepEqual(gone.codes, ['warning history-gone']);
  assert.match(
    gone.says[0] ?? '',
    /no longer has 2026-05-01T12:00:00\.000Z, 2026-06-01T12:00:00\.000Z: buyers who know the former history refuse/,
  );
  const inserted = await found(buildIn, async site => {
    await months(site);
    await cut(site);
  });
  assert.deepEqual(inserted.codes, ['warning history-inserted']);
  assert.match(inserted.says[0] ?? '', /before 2026-08-01T12:00:00\.000Z, 2026-05-01T12:00:00\.000Z, 2026-06-01T/);
});

test('a changed list in a past point of the history breaks a promise', async () => {
  const listing = (order: string) => async (site: SiteFixture) => {
    const figures = `SELECT list(url ORDER BY url ${order}) AS urls FROM rows`;
    const rows = 'SELECT url FROM rows ORDER BY url';
    const {title, price, source, difference} = CLASS_SHARE;
    const query = {title, price, source, difference, kind: 'query', figures, rows};
    await site.write('data/products/soft-fail-3.json', query);
    await buildIn(site);
  };
  const {codes, says} = await found(async site => {
    await listing('DESC')(site);
    await freezeDeny(site, '2026-06-01', ['a.example soft_fail', 'b.example dead']);
  }, listing('ASC'));
  assert.deepEqual(codes, ['broken past-figures-changed']);
  assert.match(says[0] ?? '', /^figures of Soft Fail 3 at 2026-05-01T12:00:00\.000Z, in its history, changed: urls; /);
});

test('a changed price is a warning, and is shown with its rule', async () => {
  await using site = await committedSite();
  await product(site, {price: '$0.03'});
  const {status, stdout} = await runReview(site.root);
  assert.equal(status, 0);
  assert.match(stdout, /! warning: the price of Soft Fail 3 rises from \$0\.02 to \$0\.03$/m);
  assert.match(stdout, /^ {2}price +\$0\.02 +\$0\.03 +\+\$0\.01 +\+50%$/m);
  assert.match(stdout, /^ {2}softfail3 {2}changed {2}\/api\/v1\/softfail3 +\$0\.02 +\$0\.03$/m);
  assert.deepEqual(codes(await reviewJson(site.root)), ['warning price-changed']);
});

test('a share that changes by more than ten points is a warning, but not one that changes by ten', async () => {
  const rows = (soft: number) =>
    Array.from({length: 10}, (_, index) => `r${index}.example ${index < soft ? 'soft_fail' : 'dead'}`);
  for (const [before, after, warnings] of [
    [4, 3, []],
    [3, 5, ['warning share-moved']],
  ] as const) {
    const {status, codes} = await found(
      site => freezeDeny(site, '2026-07-01', rows(after)),
      site => freezeDeny(site, '2026-06-01', rows(before)),
    );
    assert.deepEqual([status, codes], [0, warnings], `${before} to ${after} of 10`);
  }
});

test('another payee and another address are warnings', async () => {
  const payee = await found(async site => {
    const [accepted] = SITE.payment.accepts;
    await site.write('data/site.json', {
      ...SITE,
      payment: {...SITE.payment, accepts: [{...accepted, pay_to: '0x000000000000000000000000000000000000dEaD'}]},
    });
    await buildIn(site);
  });
  assert.deepEqual([payee.status, payee.codes], [0, ['warning payment-changed']]);
  const address = await found(async site => {
    await site.write('data/site.json', {...SITE, base_url: 'https://other.example'});
    await buildIn(site);
  });
  assert.deepEqual([address.status, address.codes], [0, ['warning address-changed']]);
});

test('another address of a site with parts and formats is one warning', async () => {
  const at = (base_url: string) => async (site: SiteFixture) => {
    await site.write('data/site.json', {...SITE, base_url});
    await product(site, {parts: 1, formats: ['json', 'csv']});
  };
  const {codes} = await found(at('https://other.example'), at(SITE.base_url));
  assert.deepEqual(codes, ['warning address-changed']);
});

test('a product without a rule is a warning', async () => {
  const {codes} = await found(site => edit(site.root, 'paywall/rules/rules.json', rules => (rules['rules'] = [])));
  assert.deepEqual(codes, ['warning not-gated']);
});

test('a share is recognized by its name and values', () => {
  const shares = figureChanges(
    new Map(Object.entries({dead_ratio: 0.2, 'by.share': 0, odd_ratio: 3, ration: 0.1})),
    new Map(Object.entries({dead_ratio: 0.4, 'by.share': 1, odd_ratio: 0.5, ration: 0.2})),
  );
  assert.deepEqual(
    shares.filter(({share}) => share).map(({path}) => path),
    ['dead_ratio', 'by.share'],
  );
});

const CLASSES = ['fraud', 'dead', 'unable_verify', 'soft_fail'];

/** Adds a freeze with these classes. */
async function freezeClasses(site: SiteFixture, classes: readonly string[]): Promise<void> {
  const fields = DENY_SCHEMA.fields.map(field =>
    field.name === 'class' ? {...field, constraints: {...field.constraints, enum: classes}} : field,
  );
  await site.freeze({
    source: 'deny-list',
    date: '2026-06-01',
    files: {'deny-list.csv': DENY_CSV},
    schema: {...DENY_SCHEMA, fields},
  });
  await buildIn(site);
}

test('a class that a freeze adds does not break a promise, and one that it removes does', async () => {
  const added = await found(site => freezeClasses(site, [...CLASSES, 'withdrawn']));
  assert.deepEqual([added.status, added.codes], [0, []]);
  const dropped = await found(site =>
    freezeClasses(
      site,
      CLASSES.filter(name => name !== 'unable_verify'),
    ),
  );
  assert.equal(dropped.status, 1);
  assert.match(
    dropped.says[0] ?? '',
    /^counts\.unable_verify in the sample document of Soft Fail 3: required member removed, and v1 never changes shape: undo the change, or sell the new shape as a new product/,
  );
});

test('a new column breaks a promise if a product sells every column, and the report says how to leave it out', async () => {
  const {status, says} = await found(async site => {
    await site.freeze({
      source: 'deny-list',
      date: '2026-06-01',
      files: {'deny-list.csv': 'url,class,family\nhttps://a.example/,soft_fail,x\n'},
      schema: {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, {name: 'family', type: 'string'}]},
    });
    await buildIn(site);
  });
  assert.equal(status, 1);
  assert.match(
    says[0] ?? '',
    /^examples\[\]\.family in the sample document of Soft Fail 3: member added, which the old schema refuses, .*: leave it out \(for a column, with "columns"/,
  );
});
