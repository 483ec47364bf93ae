import {gzipSync} from 'node:zlib';
import {below, EVENT, EVENTS, type BadInput} from './bad-input.ts';

const written = (name: string, content: string | Uint8Array, says: BadInput['says'], more: object = {}): BadInput => ({
  name,
  breaks: site => site.freeze({...EVENTS, files: {'events.json': content}, ...more}),
  says: below('data/sources/webhook-events/2026-05-01', says),
});
const listed = (name: string, events: readonly unknown[], says: BadInput['says']) =>
  written(name, JSON.stringify(events, null, 2), says);
const paying = (name: string, payload: object, says: BadInput['says']) =>
  listed(name, [EVENT, {...EVENT, payload: {...EVENT.payload, ...payload}}], says);

export const events: readonly BadInput[] = [
  paying(
    'an event that claims a settlement',
    {settle_success: true},
    'events.json:15: [1].payload.settle_success true is not false: a settlement is never claimed',
  ),
  paying(
    'an event that claims a settlement as a text',
    {settle_success: 'true'},
    'events.json:15: [1].payload.settle_success "true" is not false: a settlement is never claimed',
  ),
  paying(
    'an event that claims a settlement as a number',
    {settle_success: 1},
    'events.json:15: [1].payload.settle_success 1 is not false: a settlement is never claimed',
  ),
  paying(
    'an event that claims a settlement deep inside',
    {detail: {settlement: [{settle_success: true}]}},
    'events.json:16: [1].payload.detail is not a known field',
  ),
  paying(
    'an event that claims a settlement under another name',
    {settled: true},
    'events.json:16: [1].payload.settled is not a known field',
  ),
  written(
    'an event that claims a settlement in a duplicate member',
    '[\n{"type": "payment_required", "payload": {"sku": "a", "http_status": 402,\n"settle_success": true,\n"settle_success": false}}]',
    'events.json:4: settle_success occurs twice in one object',
  ),
  written(
    'an event that claims a settlement in __proto__',
    '[\n{"type": "payment_required", "payload": {"sku": "a", "http_status": 402, "settle_success": false,\n"__proto__": {"settle_success": true}}}]',
    'events.json:3: [0].payload.__proto__ is not a known field',
  ),
  listed(
    'an event that claims a listing',
    [{...EVENT, listed: true}],
    'events.json:9: [0].listed is not a known field',
  ),
  listed(
    'an unknown kind of event',
    [EVENT, {...EVENT, type: 'payment_settled'}],
    'events.json:11: [1].type "payment_settled" is not "payment_required"',
  ),
  listed(
    'a kind in capitals',
    [{...EVENT, type: 'PAYMENT_REQUIRED'}],
    'events.json:3: [0].type "PAYMENT_REQUIRED" is not "payment_required"',
  ),
  listed('an event without a kind', [{payload: EVENT.payload}], 'events.json:2: [0].type is missing'),
  listed('an event without a payload', [{type: EVENT.type}], 'events.json:2: [0].payload is missing'),
  listed(
    'a payload that is null',
    [{...EVENT, payload: null}],
    'events.json:4: [0].payload null is not of type object',
  ),
  listed('a payload that is a list', [{...EVENT, payload: []}], 'events.json:4: [0].payload [] is not of type object'),
  listed('an event that is signed already', [{...EVENT, sig: 'f00'}], 'events.json:9: [0].sig is not a known field'),
  listed(
    'an event that is a text',
    ['payment_required'],
    'events.json:2: [0] "payment_required" is not of type object',
  ),
  listed('an event that is null', [null], 'events.json:2: [0] null is not of type object'),
  listed(
    'an event in a list in the list',
    [[EVENT]],
    'events.json:2: [0] [{"type":"payment_required","payload":{"sku":"softfail3","http_status":402,"sett… is not of type object',
  ),
  paying('another status', {http_status: 200}, 'events.json:14: [1].payload.http_status 200 is not 402'),
  paying('a status as a text', {http_status: '402'}, 'events.json:14: [1].payload.http_status "402" is not 402'),
  paying('a missing status', {http_status: undefined}, 'events.json:12: [1].payload.http_status is missing'),
  paying(
    'a product name in capitals',
    {sku: 'SoftFail3'},
    'events.json:13: [1].payload.sku "SoftFail3" is not a product name: lower-case letters and digits',
  ),
  paying(
    'an empty product name',
    {sku: ''},
    'events.json:13: [1].payload.sku "" is not a product name: lower-case letters and digits',
  ),
  paying(
    'a product name __proto__',
    {sku: '__proto__'},
    'events.json:13: [1].payload.sku "__proto__" is not a product name: lower-case letters and digits',
  ),
  paying(
    'a product name with the syntax of SQL',
    {sku: "x'; DROP TABLE events; --"},
    `events.json:13: [1].payload.sku "x'; DROP TABLE events; --" is not a product name: lower-case letters and digits`,
  ),
  paying(
    'a product name that is a number',
    {sku: 7},
    'events.json:13: [1].payload.sku 7 is not a product name: lower-case letters and digits',
  ),
  paying('an unknown member of the payload', {amount: '$1'}, 'events.json:16: [1].payload.amount is not a known field'),
  written(
    'an object',
    JSON.stringify(EVENT),
    'events.json:1: {"type":"payment_required","payload":{"sku":"softfail3","http_status":402,"settl… is not of type array',
  ),
  written(
    'an object that contains the list',
    JSON.stringify({events: [EVENT]}),
    'events.json:1: {"events":[{"type":"payment_required","payload":{"sku":"softfail3","http_status"… is not of type array',
  ),
  written('an empty file', '', 'events.json is empty'),
  written(
    'broken JSON',
    '[\n  {"type": "payment_required",}\n]',
    'events.json:2:30 is not JSON: this comma has no value after it',
  ),
  written(
    'bytes that are not UTF-8',
    Buffer.from('[\n"\xff"]', 'latin1'),
    'events.json:2 has bytes that are not UTF-8',
  ),
  written('a byte order mark', '\ufeff[]', 'events.json:1 starts with a byte order mark'),
  written(
    'NDJSON',
    `${JSON.stringify(EVENT)}\n${JSON.stringify(EVENT)}\n`,
    'events.json:2:1 is not JSON: it has text after the end of its value',
  ),
  written(
    'another format',
    JSON.stringify(EVENT),
    'datapackage.json:5: resources[0] is not one uncompressed JSON file, as a source of events must be',
    {format: 'ndjson'},
  ),
  written(
    'CSV',
    'type,payload\n',
    'datapackage.json:5: resources[0] is not one uncompressed JSON file, as a source of events must be',
    {format: 'csv'},
  ),
  written(
    'half a surrogate pair',
    '["\\ud800"]',
    'events.json:1: \\ud800 has half of a surrogate pair, which UTF-8 cannot represent',
  ),
  written(
    'a hundred thousand nested lists',
    '['.repeat(100_000) + ']'.repeat(100_000),
    'events.json is nested more than 64 levels deep',
  ),
  written(
    'gzip',
    gzipSync('[]'),
    'datapackage.json:5: resources[0] is not one uncompressed JSON file, as a source of events must be',
    {files: {'events.json.gz': gzipSync('[]')}},
  ),
  written(
    'two files',
    '',
    'datapackage.json:5: resources[0] is not one uncompressed JSON file, as a source of events must be',
    {
      files: {'a.json': '[]', 'b.json': '[]'},
    },
  ),
  listed(
    'more than twenty bad events, and counts those it does not show',
    Array.from({length: 23}, (_, index) => ({...EVENT, type: `kind-${index}`})),
    [
      'events.json:3: [0].type "kind-0" is not "payment_required"',
      'events.json:11: [1].type "kind-1" is not "payment_required"',
      'events.json:19: [2].type "kind-2" is not "payment_required"',
      'events.json:27: [3].type "kind-3" is not "payment_required"',
      'events.json:35: [4].type "kind-4" is not "payment_required"',
      'events.json:43: [5].type "kind-5" is not "payment_required"',
      'events.json:51: [6].type "kind-6" is not "payment_required"',
      'events.json:59: [7].type "kind-7" is not "payment_required"',
      'events.json:67: [8].type "kind-8" is not "payment_required"',
      'events.json:75: [9].type "kind-9" is not "payment_required"',
      'events.json:83: [10].type "kind-10" is not "payment_required"',
      'events.json:91: [11].type "kind-11" is not "payment_required"',
      'events.json:99: [12].type "kind-12" is not "payment_required"',
      'events.json:107: [13].type "kind-13" is not "payment_required"',
      'events.json:115: [14].type "kind-14" is not "payment_required"',
      'events.json:123: [15].type "kind-15" is not "payment_required"',
      'events.json:131: [16].type "kind-16" is not "payment_required"',
      'events.json:139: [17].type "kind-17" is not "payment_required"',
      'events.json:147: [18].type "kind-18" is not "payment_required"',
      'events.json:155: [19].type "kind-19" is not "payment_required"',
      '… and 3 more',
    ],
  ),
];
