import assert from 'node:assert/strict';
import {test} from 'node:test';
import {sizeFaults} from '../../build/documents/size.ts';
import {digestOf, seal} from '../../build/documents/seal.ts';

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

test('a file that is too large for a host is told with the way out, where there is one', () => {
  const [limit, sha256] = [25 * 1024 * 1024, ''];
  const products = ['one', 'two'].map(name => ({name, file: `${name}.json`}));
  const told = (path: string, bytes: number) => sizeFaults([{path, sha256, bytes}], products);
  assert.deepEqual(told('public/openapi.json', limit), []);
  const value = limit + 1;
  const rule = `has more than the ${limit} bytes that hosts take`;
  const [whole, sample] = ['public/openapi.json', 'public/api/v1/samples/one.json'];
  assert.deepEqual(told(sample, value), [{file: sample, field: 'size', value, rule}]);
  const tooMany = `${rule}: 2 products are too many for one site`;
  assert.deepEqual(told(whole, value), [{file: whole, field: 'size', value, rule: tooMany}]);
});
