import {mkdir, rm, symlink} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';
import {CLASS_SHARE, EVENT_BUNDLE, SAME_TIMESTAMPS, type SiteFixture} from '../site-fixture.ts';
import {below, type BadInput} from './bad-input.ts';

/** A new kind changes this list, but no test. */
const KINDS = (
  await glob('*.ts', {cwd: fileURLToPath(new URL('../../../build/kinds/', import.meta.url)), ignore: ['kind.ts']})
)
  .map(file => file.replace('.ts', ''))
  .sort()
  .join(', ');
const FILE = 'data/products/soft-fail-3.json';
const written = (name: string, content: string | Uint8Array | object, says: BadInput['says']): BadInput => ({
  name,
  breaks: site => site.write(FILE, content),
  says: below('data/products', says),
});
const having = (name: string, members: object, says: BadInput['says']) =>
  written(name, {...CLASS_SHARE, ...members}, says);
const priced = (price: unknown): BadInput =>
  having(
    `of ${JSON.stringify(price)}`,
    {price},
    `soft-fail-3.json:4: price ${JSON.stringify(price)} is not "$" and an amount above zero with 1 to 6 digits after the point, such as "$0.02"`,
  );

export const prices: readonly BadInput[] = [
  ...['$0', '$0.0', '$0.000000', '$0.0000001', '0.02', '$.02', '$2', '$2.', '$-1.00', '$+1.00', '$01.00', '$1e3'],
  ...['$1,000.00', '$1000000.00', '$ 0.02', '$0.02 ', '$0.02\n', '€0.02', '$NaN', '$Infinity', '$0x1.0', '$٠.٠٢', ''],
  ...['$0.02; DROP TABLE products', 0.02, 1e30, true, ['$0.02'], {usd: 0.02}],
].map(priced);

export const products: readonly BadInput[] = [
  {
    name: 'a folder without products',
    breaks: site => rm(join(site.root, 'data/products'), {recursive: true}),
    says: 'data/products does not contain a product',
  },
  {
    name: 'a folder with products that do not end in .json only',
    breaks: async site => {
      await rm(join(site.root, 'data/products'), {recursive: true});
      await site.write('data/products/soft-fail-3.JSON', CLASS_SHARE);
      await site.write('data/products/deeper/soft-fail-3.json', CLASS_SHARE);
    },
    says: 'data/products does not contain a product',
  },
  ...['data/products', 'data/sources'].map(folder => ({
    name: `${folder} that cannot be read`,
    breaks: async (site: SiteFixture) => {
      await rm(join(site.root, folder), {recursive: true});
      await symlink(basename(folder), join(site.root, folder));
    },
    says: `${folder} cannot be read (ELOOP)`,
  })),
  {
    name: 'a link that leads nowhere',
    breaks: site => symlink('nowhere', join(site.root, 'data/products/x.json')),
    says: 'data/products/x.json does not exist',
  },
  {
    name: 'a folder that is called like a product',
    breaks: site => mkdir(join(site.root, 'data/products/x.json')),
    says: 'data/products/x.json is a folder, not a file',
  },
  written('an empty file', '', 'soft-fail-3.json is empty'),
  written(
    'broken JSON',
    '{\n  "title": "A",\n  "kind": class-share\n}',
    'soft-fail-3.json:3:11 is not JSON: it has the word class-share without quotation marks',
  ),
  written(
    'bytes that are not UTF-8',
    Buffer.from([0x7b, 0xff, 0x7d]),
    'soft-fail-3.json:1 has bytes that are not UTF-8',
  ),
  written('a list', '[]', 'soft-fail-3.json:1: [] is not of type object'),
  written('a number', '1', 'soft-fail-3.json:1: 1 is not of type object'),
  written(
    'a duplicate member',
    `{\n  "price": "$9.99",\n  "price": "$0.01"\n}`,
    'soft-fail-3.json:3: price occurs twice in one object',
  ),
  written(
    'a member __proto__',
    `{\n  "__proto__": {"kind": "class-share"},${JSON.stringify(CLASS_SHARE).slice(1)}`,
    'soft-fail-3.json:2: __proto__ is not a known field',
  ),
  written('only a kind', {kind: 'class-share'}, [
    'soft-fail-3.json:1: title is missing',
    'soft-fail-3.json:1: price is missing',
    'soft-fail-3.json:1: difference is missing',
    'soft-fail-3.json:1: source is missing',
    'soft-fail-3.json:1: class is missing',
  ]),
  having('a missing title', {title: undefined}, 'soft-fail-3.json:1: title is missing'),
  having('a missing kind', {kind: undefined}, 'soft-fail-3.json:1: kind is missing'),
  having('a missing price', {price: undefined}, 'soft-fail-3.json:1: price is missing'),
  having(
    'a price of null',
    {price: null},
    'soft-fail-3.json:4: price null is not "$" and an amount above zero with 1 to 6 digits after the point, such as "$0.02"',
  ),
  having('an unknown kind', {kind: 'class-shares'}, `soft-fail-3.json:3: kind "class-shares" is not one of ${KINDS}`),
  ...['__proto__', 'constructor', 'toString', '../kinds/class-share', ''].map(kind =>
    having(`a kind called ${kind}`, {kind}, `soft-fail-3.json:3: kind "${kind}" is not one of ${KINDS}`),
  ),
  having(
    'a kind that is a list',
    {kind: ['class-share']},
    `soft-fail-3.json:3: kind ["class-share"] is not one of ${KINDS}`,
  ),
  having(
    'all errors of a product together',
    {title: 'Index', price: '2', colour: 'red', source: 'nowhere', siblings: ['A']},
    [
      'soft-fail-3.json:11: colour is not a known field',
      'soft-fail-3.json:4: price "2" is not "$" and an amount above zero with 1 to 6 digits after the point, such as "$0.02"',
      'soft-fail-3.json:8: siblings[0] "A" is not a product name: lower-case letters and digits',
      'soft-fail-3.json:5: source "nowhere" is not a folder in data/sources',
      'soft-fail-3.json:2: title "Index" gives the name "index", which is reserved',
    ],
  ),
  having(
    'an unknown kind, and all that is known without it',
    {kind: 'shares', title: 'Index', price: '2', source: 'nowhere'},
    [
      `soft-fail-3.json:3: kind "shares" is not one of ${KINDS}`,
      'soft-fail-3.json:4: price "2" is not "$" and an amount above zero with 1 to 6 digits after the point, such as "$0.02"',
      'soft-fail-3.json:5: source "nowhere" is not a folder in data/sources',
      'soft-fail-3.json:2: title "Index" gives the name "index", which is reserved',
    ],
  ),
  having('an unknown member', {colour: 'red'}, 'soft-fail-3.json:11: colour is not a known field'),
  having('a member of another kind', {unsigned_event: {}}, 'soft-fail-3.json:11: unsigned_event is not a known field'),
  having('a member that claims a listing', {listed: true}, 'soft-fail-3.json:11: listed true is not false'),
  having(
    'a title that is a number',
    {title: 3},
    'soft-fail-3.json:2: title 3 is not one line of 1 to 80 characters without surrounding spaces',
  ),
  having(
    'a title without letters or digits',
    {title: '!!!'},
    'soft-fail-3.json:2: title "!!!" gives the name "", which is empty',
  ),
  having(
    'a title of one space',
    {title: ' '},
    'soft-fail-3.json:2: title " " is not one line of 1 to 80 characters without surrounding spaces',
  ),
  having(
    'a title in a script without Latin letters',
    {title: '凍結'},
    'soft-fail-3.json:2: title "凍結" gives the name "", which is empty',
  ),
  having(
    'a title of two lines',
    {title: 'Soft\nFail'},
    'soft-fail-3.json:2: title "Soft\\nFail" is not one line of 1 to 80 characters without surrounding spaces',
  ),
  having(
    'a title with a control character',
    {title: 'Soft\u0007Fail'},
    'soft-fail-3.json:2: title "Soft\\u0007Fail" has the invisible character U+0007 at position 5',
  ),
  having(
    'a title with a line separator',
    {title: 'Soft\u2028Fail'},
    'soft-fail-3.json:2: title "Soft\\u2028Fail" has the invisible character U+2028 at position 5',
  ),
  having(
    'a title of 81 characters',
    {title: 'x'.repeat(81)},
    'soft-fail-3.json:2: title "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… is not one line of 1 to 80 characters without surrounding spaces',
  ),
  ...['Index', 'samples', 'Schemas!', 'HISTORY', 'His-tory'].map(title =>
    having(
      `the title ${title}`,
      {title},
      `soft-fail-3.json:2: title "${title}" gives the name "${title.toLowerCase().replace(/[^a-z]/g, '')}", which is reserved`,
    ),
  ),
  having(
    'a name with a capital',
    {name: 'SoftFail3'},
    'soft-fail-3.json:11: name "SoftFail3" is not a name of 1 to 80 lower-case letters and digits',
  ),
  having(
    'an empty name',
    {name: ''},
    'soft-fail-3.json:11: name "" is not a name of 1 to 80 lower-case letters and digits',
  ),
  having(
    'a name that leads elsewhere',
    {name: '../index'},
    'soft-fail-3.json:11: name "../index" is not a name of 1 to 80 lower-case letters and digits',
  ),
  having('a reserved name', {name: 'samples'}, 'soft-fail-3.json:11: name "samples" is reserved'),
  having('the name of a device', {name: 'nul'}, 'soft-fail-3.json:11: name "nul" is reserved for a device by Windows'),
  {
    name: 'a name that another product has by its title',
    breaks: site => site.write('data/products/x.json', {...CLASS_SHARE, title: 'Another', name: 'softfail3'}),
    says: 'data/products/x.json:11: name "softfail3" is already the name of data/products/soft-fail-3.json',
  },
  {
    name: 'a title that results in the name of another product',
    breaks: site => site.write('data/products/a.json', {...CLASS_SHARE, title: 'Another', name: 'softfail3'}),
    says: 'data/products/soft-fail-3.json:2: title "Soft Fail 3" gives the name "softfail3", which is already the name of data/products/a.json',
  },
  ...[-1, 1.5, '1', 1_000_001].map(order =>
    having(
      `the order ${order}`,
      {order},
      `soft-fail-3.json:11: order ${JSON.stringify(order)} is not a whole number from 0 to 1000000`,
    ),
  ),
  {
    name: 'two products of one name',
    breaks: site => site.write('data/products/x.json', {...CLASS_SHARE, title: 'SoftFail-3'}),
    says: 'data/products/x.json:2: title "SoftFail-3" gives the name "softfail3", which is already the name of data/products/soft-fail-3.json',
  },
  {
    name: 'three products of one name',
    breaks: async site => {
      await site.write('data/products/x.json', {...CLASS_SHARE, title: 'Soft-Fail 3'});
      await site.write('data/products/y.json', {...SAME_TIMESTAMPS, title: 'Soft  Fail, 3'});
    },
    says: [
      'data/products/x.json:2: title "Soft-Fail 3" gives the name "softfail3", which is already the name of data/products/soft-fail-3.json',
      'data/products/y.json:2: title "Soft  Fail, 3" gives the name "softfail3", which is already the name of data/products/soft-fail-3.json',
    ],
  },
  having(
    'an unknown source',
    {source: 'denylist'},
    'soft-fail-3.json:5: source "denylist" is not a folder in data/sources; did you mean deny-list?',
  ),
  ...['deny_list', 'Deny List', 'deny-list.csv', '../deny-list', 'Deny-Lists'].map(source =>
    having(
      `the source ${source}`,
      {source},
      `soft-fail-3.json:5: source ${JSON.stringify(source)} is not the name of a folder in data/sources; did you mean deny-list?`,
    ),
  ),
  ...['/etc', '.', '', 'deny-list/2026-05-01', '__proto__', "x'; DROP TABLE rows; --"].map(source =>
    having(
      `the source ${source}`,
      {source},
      `soft-fail-3.json:5: source ${JSON.stringify(source)} is not the name of a folder in data/sources`,
    ),
  ),
  having(
    'a pinned freeze that does not exist',
    {freeze: '2026-06-01'},
    'soft-fail-3.json:11: freeze "2026-06-01" is not a freeze of deny-list: 2026-05-01',
  ),
  having(
    'a pinned freeze that is not a date',
    {freeze: 'latest'},
    'soft-fail-3.json:11: freeze "latest" is not the date of a freeze, YYYY-MM-DD',
  ),
  having(
    'a pinned freeze on a day that does not exist',
    {freeze: '2026-02-30'},
    'soft-fail-3.json:11: freeze "2026-02-30" is not the date of a freeze, YYYY-MM-DD',
  ),
  having(
    'a pinned freeze that leads elsewhere',
    {freeze: '../2026-05-01'},
    'soft-fail-3.json:11: freeze "../2026-05-01" is not the date of a freeze, YYYY-MM-DD',
  ),
  having(
    'a class that is not in the schema',
    {class: 'softfail'},
    'soft-fail-3.json:6: class "softfail" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  having(
    'a class __proto__',
    {class: '__proto__'},
    'soft-fail-3.json:6: class "__proto__" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  having(
    'a class with the syntax of SQL',
    {class: "x' OR 1=1 --"},
    `soft-fail-3.json:6: class "x' OR 1=1 --" is not one of fraud, dead, unable_verify, soft_fail`,
  ),
  having(
    'a class of the event source',
    {source: 'webhook-events'},
    'data/sources/webhook-events/2026-05-01/datapackage.json: resources[0].schema is missing, and rows need a Table Schema',
  ),
  having(
    'an empty class',
    {class: ''},
    'soft-fail-3.json:6: class "" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  having('a class that is a number', {class: 3}, 'soft-fail-3.json:6: class 3 is not a class, or a list of classes'),
  having('a list of no class', {class: [], as: 'x'}, 'soft-fail-3.json:6: class [] is an empty list'),
  having(
    'a list with a class that is not in the schema',
    {class: ['dead', 'gone'], as: 'lost'},
    'soft-fail-3.json:6: class "gone" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  having(
    'several classes without a name',
    {class: ['dead', 'fraud']},
    'soft-fail-3.json: as is missing: a share of several classes needs a name, such as "gone"',
  ),
  having(
    'several classes by the name of one',
    {class: ['dead', 'fraud'], as: 'dead'},
    'soft-fail-3.json:14: as "dead" is the name of another class: choose another name with "as"',
  ),
  having(
    'a name of a share that is a member already',
    {as: 'rows'},
    'soft-fail-3.json:11: as "rows" would name a figure rows_n, which is already the name of another figure',
  ),
  having(
    'a truth value for a column of texts',
    {class: true},
    'soft-fail-3.json:6: class true is not one of fraud, dead, unable_verify, soft_fail',
  ),
  having(
    'a column to sell that is not there',
    {columns: ['class', 'note']},
    'soft-fail-3.json:13: columns[1] "note" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
  ),
  having(
    'groups of a column that is not there',
    {by: 'region'},
    'soft-fail-3.json:11: by "region" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
  ),
  having(
    'groups by the column of the classes',
    {by: 'class'},
    'soft-fail-3.json:11: by "class" is the column of the classes',
  ),
  having(
    'unknown columns and classes, together',
    {class: ['gone', 'dead', 'late'], by: 'region', key: 'id', columns: ['note']},
    [
      'soft-fail-3.json:6: class "gone" is not one of fraud, dead, unable_verify, soft_fail',
      'soft-fail-3.json:6: class "late" is not one of fraud, dead, unable_verify, soft_fail',
      'soft-fail-3.json:15: by "region" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
      'soft-fail-3.json:16: key "id" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
      'soft-fail-3.json:18: columns[0] "note" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
    ],
  ),
  having('labels of an unknown figure and parts by an unknown column, together', {labels: {n: 'N'}, parts: 'region'}, [
    'soft-fail-3.json:14: parts "region" is not a column of the rows that are sold: url, class',
    'soft-fail-3.json:12: labels.n is not one of the figures rows_n, soft_fail_n, soft_fail_ratio, age_hours or of the classes fraud, dead, unable_verify, soft_fail',
  ]),
  having('labels and units of an unknown figure', {labels: {soft_fail_percent: 'Soft'}, units: {counts: 'rows'}}, [
    'soft-fail-3.json:12: labels.soft_fail_percent is not one of the figures rows_n, soft_fail_n, soft_fail_ratio, age_hours or of the classes fraud, dead, unable_verify, soft_fail',
    'soft-fail-3.json:15: units.counts is not one of the figures rows_n, soft_fail_n, soft_fail_ratio, age_hours',
  ]),
  having('a missing class', {class: undefined}, 'soft-fail-3.json:1: class is missing'),
  having(
    'a column that is not in the schema',
    {column: 'klass'},
    'soft-fail-3.json:11: column "klass" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
  ),
  having(
    'a column __proto__',
    {column: '__proto__'},
    'soft-fail-3.json:11: column "__proto__" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
  ),
  having(
    'a column with the syntax of SQL',
    {column: 'class" FROM x; --'},
    'soft-fail-3.json:11: column "class\\" FROM x; --" is not a column of data/sources/deny-list/2026-05-01/datapackage.json, which has url, class',
  ),
  having(
    'a column without an enum',
    {column: 'url'},
    'soft-fail-3.json:11: column "url" does not have an enum in data/sources/deny-list/2026-05-01/datapackage.json: add all its classes there before you publish the freeze, as in "constraints": {"enum": ["soft_fail", …]}',
  ),
  having(
    'a list of another kind',
    {source: 'verified-list'},
    'soft-fail-3.json:5: source "verified-list" does not contain a column "class" in data/sources/verified-list/2026-05-01/datapackage.json, which has origin, first, last, claimed',
  ),
  ...[-1, 1.5, 1001, '3', null, Infinity].map(examples =>
    having(
      `examples ${String(examples)}`,
      {examples},
      `soft-fail-3.json:11: examples ${JSON.stringify(examples)} is not a whole number from 0 to 1000`,
    ),
  ),
  ...[0, -1, 2.5, 500_001, '10', true].map(max_rows =>
    having(
      `max_rows ${String(max_rows)}`,
      {max_rows},
      `soft-fail-3.json:11: max_rows ${JSON.stringify(max_rows)} is not a whole number from 1 to 500000`,
    ),
  ),
  having(
    'a period that is a number',
    {every: 7},
    'soft-fail-3.json:11: every 7 is not one of day, week, month, quarter, year',
  ),
  having('labels without a label', {labels: {}}, 'soft-fail-3.json:11: labels {} is an empty object'),
  having(
    'siblings that are a text',
    {siblings: 'denylistage'},
    'soft-fail-3.json:7: siblings "denylistage" is not of type array',
  ),
  having(
    'a duplicate sibling',
    {siblings: ['a', 'b', 'a']},
    'soft-fail-3.json:7: siblings ["a","b","a"] contains "a" twice',
  ),
  having(
    'a sibling that is not a name',
    {siblings: ['ok', 'Deny Fresh']},
    'soft-fail-3.json:9: siblings[1] "Deny Fresh" is not a product name: lower-case letters and digits',
  ),
  having(
    'itself as a sibling',
    {siblings: ['softfail3']},
    'soft-fail-3.json:7: siblings "softfail3" names the product itself',
  ),
  having(
    'an empty difference',
    {difference: ''},
    'soft-fail-3.json:10: difference "" is not one line of 1 to 200 characters that completes "it …", without a full stop',
  ),
  having(
    'a difference that is a whole sentence',
    {difference: 'is measured.'},
    'soft-fail-3.json:10: difference "is measured." is not one line of 1 to 200 characters that completes "it …", without a full stop',
  ),
  having('a missing difference', {difference: undefined}, 'soft-fail-3.json:1: difference is missing'),
  having(
    'a difference of two lines',
    {difference: 'a\r\nb'},
    'soft-fail-3.json:10: difference "a\\r\\nb" is not one line of 1 to 200 characters that completes "it …", without a full stop',
  ),
  {
    name: 'a class-share member in an event bundle',
    breaks: site => site.write('data/products/webhook-bundle.json', {...EVENT_BUNDLE, class: 'soft_fail'}),
    says: 'data/products/webhook-bundle.json:10: class is not a known field',
  },
  {
    name: 'an event bundle over rows',
    breaks: site => site.write('data/products/webhook-bundle.json', {...EVENT_BUNDLE, source: 'deny-list'}),
    says: 'data/sources/deny-list/2026-05-01/datapackage.json:5: resources[0] is not one uncompressed JSON file, as a source of events must be',
  },
  {
    name: 'timestamps of a list without timestamps',
    breaks: site => site.write('data/products/first-last-same.json', {...SAME_TIMESTAMPS, source: 'deny-list'}),
    says: ['first', 'last', 'claimed'].map(
      column =>
        `data/products/first-last-same.json:5: source "deny-list" does not contain a column "${column}" in data/sources/deny-list/2026-05-01/datapackage.json, which has url, class`,
    ),
  },
];
