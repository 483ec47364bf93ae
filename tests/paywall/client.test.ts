import assert from 'node:assert/strict';
import {test} from 'node:test';
import {subnetOf} from '../../paywall/http/client.ts';

const subnets: readonly (readonly [address: string, subnet: string | undefined])[] = [
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:8080', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:8080', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['2001:0DB8:0000:0000:ffff::', '2001:db8:0:0::'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::'],
  ['[2001:db8:0:1::1]:443', '2001:db8:0:1::'],
  ['[2001:db8:0:1::1]', '2001:db8:0:1::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
  ['::1', '0:0:0:0::'],
  ['::', '0:0:0:0::'],
  ...[
    '',
    'unknown',
    'localhost',
    '-',
    '300.0.2.1',
    '192.0.2',
    '3221225985',
    '0300.0.2.1',
    '192.0.2.1.',
    '192.0.2.1/24',
    '1::2::3',
    '2001:db8:1',
    '2001:db8::g',
    '::1]/[',
    'for=192.0.2.1',
    '_hidden',
  ].map(text => [text, undefined] as const),
];

for (const [address, subnet] of subnets)
  test(`${JSON.stringify(address)} ${subnet ? `counts as ${subnet}` : 'is not an address'}`, () => {
    assert.equal(subnetOf(address), subnet);
  });
