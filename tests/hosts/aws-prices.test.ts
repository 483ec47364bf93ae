import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {InputError} from '../../shared/fault.ts';
import type {Payee} from '../../shared/payees.ts';
import {composeAws, hosted, three} from './hosted.ts';
import type {WebAcl} from './template.ts';

const aclOf = (site: Parameters<typeof composeAws>[0]): WebAcl => composeAws(site).template.Resources.WebAcl.Properties;

/** The base price, and the multipliers in the order of the products. */
function pricing(prices: Record<string, string>) {
  const {MonetizationConfig, Rules} = aclOf(hosted(prices));
  const base = MonetizationConfig?.CryptoConfig.PaymentNetworks[0]?.Prices[0]?.Amount;
  return [base, ...Rules.flatMap(({Action}) => Action?.Monetize?.PriceMultiplier ?? [])];
}

describe('prices', () => {
  const table: [string, Record<string, string>, string[]][] = [
    ['of the specification', {a: '$0.15', b: '$0.02', c: '$0.02'}, ['0.01', '15', '2', '2']],
    ['of one product', {a: '$0.02'}, ['0.02', '1']],
    ['with trailing zeros', {a: '$0.020000', b: '$0.0500'}, ['0.01', '2', '5']],
    ['a hundred times apart', {a: '$0.001', b: '$0.1'}, ['0.001', '1', '100']],
    ['of whole dollars', {a: '$2', b: '$10.00'}, ['2', '1', '5']],
    ['with a base of ten cents', {a: '$0.30', b: '$0.2'}, ['0.1', '3', '2']],
  ];
  for (const [name, prices, expected] of table) {
    test(`${name} become a base price and multipliers`, () => {
      assert.deepEqual(pricing(prices), expected);
    });
  }

  const clashes: [string, Record<string, string>, RegExp][] = [
    [
      'two prices more than a hundred times apart',
      {a: '$0.02', b: '$2.02', c: '$0.02'},
      /the prices \$0\.02, \$2\.02 cannot be combined: their largest common base price is \$0\.02/,
    ],
    [
      'three prices that cannot be combined, although any two can',
      {a: '$0.077', b: '$0.091', c: '$0.143'},
      /the prices \$0\.077, \$0\.091, \$0\.143 cannot be combined/,
    ],
    ['a price of four decimals', {a: '$0.02', b: '$0.0205'}, /the price of b "\$0\.0205" has more than three decimals/],
  ];
  for (const [name, prices, message] of clashes) {
    test(`are refused by name: ${name}`, () => {
      assert.throws(() => composeAws(hosted(prices)), fault(message));
    });
  }

  test('are all named in one error if several have too many decimals', () => {
    assert.throws(
      () => composeAws(hosted({a: '$0.0001', b: '$0.02', c: '$0.00001'})),
      fault(/price of a .*\n.*price of c /),
    );
  });
});

describe('networks', () => {
  const base = {network: 'eip155:8453', pay_to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'};
  const accept = (...accepts: Payee[]) => hosted({a: '$0.02'}, accepts);

  test('for tests use test mode, and main networks use real money', () => {
    assert.equal(aclOf(three).MonetizationConfig?.CurrencyMode, 'TEST');
    assert.equal(aclOf(accept(base)).MonetizationConfig?.CurrencyMode, 'REAL');
  });

  test('have the names that AWS uses, and the wallet', () => {
    const networks = aclOf(accept(base)).MonetizationConfig?.CryptoConfig.PaymentNetworks ?? [];
    assert.deepEqual(
      networks.map(({Chain, WalletAddress}) => [Chain, WalletAddress]),
      [['BASE', base.pay_to]],
    );
  });

  const refused: [string, Payee[], RegExp][] = [
    [
      'an unknown network',
      [{...base, network: 'eip155:1'}],
      /accepts\[0\]\.network "eip155:1" is not a network AWS WAF knows/,
    ],
  ];
  for (const [name, accepts, message] of refused) {
    test(`refuse ${name}`, () => {
      assert.throws(() => composeAws(accept(...accepts)), fault(message));
    });
  }
});

const fault = (message: RegExp) => (error: unknown) => error instanceof InputError && message.test(error.message);
