import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {PaidContent} from '../../build/documents/record.ts';
import {documentFaults, fileFaults, hostRemedy} from '../../build/hosts/host.ts';
import {digestOf, seal} from '../../shared/digest.ts';
import type {DocumentName} from '../../shared/paths.ts';

const names = ['b', 'a', 'B', 'ä', '10', '9', '', '\u{10000}', '\uffff', '\u0000"\\', 'toString', '__proto_', 'sha256'];
const values = [
  null,
  true,
  '',
  'ä"\\\u2028\u0007/😀',
  'x'.repeat(6000) + '\n',
  ...[0, -0, 1e21, 1e-7, 0.1 + 0.2, -1.5, 5e-324, 2 ** 53, 1 / 3],
];
const nested = [
  ...values.map(value => ({value})),
  Object.fromEntries(names.map((name, place) => [name, values[place % values.length]])),
  Object.fromEntries(Array.from({length: 300}, (_, place) => [`${(place * 7919) % 1000}`, place])),
  {list: [[], {}, [values, [{deep: [names]}]]]},
];

test('a sealed document has the digest of its RFC 8785 form', () => {
  for (const member of nested) {
    const sealed = seal({title: 'é', sha256: '', member, ...member});
    assert.match(String(sealed['sha256']), /^[0-9a-f]{64}$/);
    assert.equal(sealed['sha256'], digestOf(sealed), JSON.stringify(sealed).slice(0, 200));
  }
  for (const number of [NaN, Infinity]) assert.throws(() => seal({number, sha256: ''}));
});

const LIMIT = 25 * 1024 * 1024;

test('a document that is too large for a host is refused, and a paid one with the setting to change', () => {
  const product = (bytes: number, large: DocumentName, type: PaidContent['type'] = 'rows') => {
    const small = {sha256: '', bytes: 1};
    const documents = {sample: small, paid: small, sampleSchema: small, paidSchema: small, history: small};
    const paidContent = {type, sold: 1, total: 1, columns: [], shown: 0};
    const sizes = {...documents, [large]: {sha256: '', bytes}};
    return {name: 'one', file: 'one.json', paidContent, documents: sizes, editions: []};
  };
  const [value, rule] = [LIMIT + 1, `has more than the ${LIMIT} bytes that hosts accept`];
  assert.deepEqual([product(LIMIT, 'paid'), product(LIMIT, 'sample')].flatMap(documentFaults), []);
  const file = 'public/api/v1/samples/one.json';
  assert.deepEqual(documentFaults(product(value, 'sample')), [{code: 'FZ109', file, field: 'size', value, rule}]);
  const tooHigh = `is missing or too high: the paid document has ${value} bytes, and hosts accept at most ${LIMIT}`;
  assert.deepEqual(documentFaults(product(value, 'paid')), [
    {code: 'FZ109', file: 'one.json', field: 'max_rows', rule: tooHigh},
  ]);
  const own = `results in ${value} bytes, and hosts accept at most ${LIMIT}`;
  const found = documentFaults(product(value, 'paid', 'document'));
  assert.deepEqual(found, [{code: 'FZ109', file: 'one.json', field: 'document', rule: own}]);
});

test('a file about all products is compared with the limit of each host, and the host is named', () => {
  const path = 'public/api/v1/index.json';
  const reported = (bytes: number, mostBytes?: number) =>
    fileFaults([{path, bytes}], {name: 'small', ...(mostBytes !== undefined && {mostBytes})});
  assert.deepEqual(reported(LIMIT, LIMIT), []);
  assert.deepEqual(reported(LIMIT * 10), []);
  const rule = `has more than the ${LIMIT} bytes that small accepts: the site has too many products for it`;
  assert.deepEqual(reported(LIMIT + 1, LIMIT), [
    {code: 'FZ403', file: path, field: 'size', value: LIMIT + 1, rule},
    hostRemedy('small'),
  ]);
});
