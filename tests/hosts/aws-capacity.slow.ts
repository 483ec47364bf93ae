import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import fc from 'fast-check';
import {InputError} from '../../shared/fault.ts';
import {composeAws, freePaths, hosted, three} from './hosted.ts';
import {findingsIn} from './template-checks.ts';
import type {WebAcl} from './template.ts';
import {capacityOf, evaluate} from './waf-evaluator.ts';

const products = (count: number, name = (at: number) => `product${at}`) =>
  hosted(Object.fromEntries(Array.from({length: count}, (_, at) => [name(at), `$0.0${(at % 3) + 1}`])));

/** The units that the build prints. */
const printed = (notes: readonly string[]) => Number(/^on AWS, the web ACL uses (\d+) of/.exec(notes[0] ?? '')?.[1]);

describe('capacity', () => {
  test('of three products is printed', () => {
    assert.equal(composeAws(three).notes[0], 'on AWS, the web ACL uses 168 of 1500 capacity units');
  });

  test('allows one rule for each path of sixty-three products', () => {
    const {template, notes} = composeAws(products(63));
    assert.equal(printed(notes), 1488);
    assert.equal(template.Resources.WebAcl.Properties.Rules.length, 4 + 63);
  });

  test('lets the paths of one price share expressions from sixty-four products on', () => {
    const {template, notes} = composeAws(products(64));
    assert.equal(template.Resources.WebAcl.Properties.Rules.length, 4 + 3);
    assert.ok(printed(notes) < 300);
  });

  test('beyond the included units is reported to cost more', () => {
    const {notes} = composeAws(products(100, at => `${'n'.repeat(100)}${at}`));
    assert.match(notes[0] ?? '', /^on AWS, the web ACL uses \d{4} of 5000 capacity units; above 1500 AWS charges more/);
  });

  test('beyond 5000 units is refused', () => {
    const tooMany = products(300, at => `${'n'.repeat(100)}${at}`);
    assert.throws(() => composeAws(tooMany), {
      name: 'InputError',
      message: /300 paid paths need \d+ capacity units, and a web ACL has at most 5000/,
    });
  });

  test('does not allow a name that is too long for a rule', () => {
    assert.throws(() => composeAws(hosted({['n'.repeat(125)]: '$0.02'})), {name: 'InputError', message: /1 to 124/});
  });
});

describe('the notes', () => {
  const real = {network: 'eip155:8453', pay_to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'};

  test('are only the capacity for a site that takes real money over HTTPS', () => {
    assert.equal(composeAws(hosted({a: '$0.02'}, [real])).notes.length, 1);
  });

  test('say that test money has no value', () => {
    assert.match(composeAws(three).notes.join('\n'), /buyers pay with test money, which is worthless/);
  });

  test('say that a large template is deployed from a bucket', () => {
    const site = products(63);
    assert.match(composeAws(site).notes.join('\n'), /has \d{5} bytes: above 51200, deploy it with --s3-bucket/);
  });

  test('say that a site with a base_url without TLS does not sell', () => {
    const site = {...three.site, base_url: 'http://127.0.0.1:4021'};
    assert.match(composeAws({...three, site}).notes.join('\n'), /HTTPS only, and base_url is http:/);
  });
});

describe('any set of 1 to 300 products', () => {
  const name = fc.stringMatching(/^[a-z0-9]{1,40}$/);
  const fitting = fc.tuple(
    fc.integer({min: 1, max: 400}),
    fc.array(fc.integer({min: 1, max: 100}), {minLength: 300, maxLength: 300}),
  );
  const anyPrice = fc.array(fc.integer({min: 1, max: 3_000_000}), {minLength: 300, maxLength: 300});
  const micros = fc.oneof(
    {weight: 3, arbitrary: fitting.map(([base, multipliers]) => multipliers.map(one => one * base * 1000))},
    {weight: 1, arbitrary: anyPrice},
  );
  const sites = fc
    .tuple(fc.uniqueArray(name, {minLength: 1, maxLength: 300, size: 'max'}), micros)
    .map(([names, prices]) => new Map(names.map((one, at) => [one, prices[at] ?? 1])));

  test('becomes a valid template with the price of each product, or an error that names what does not fit', () => {
    const seen = {templates: 0, refusals: 0};
    fc.assert(
      fc.property(sites, prices => {
        if (check(prices)) seen.templates++;
        else seen.refusals++;
      }),
      {numRuns: 20, seed: 402, endOnFailure: true},
    );
    assert.ok(seen.templates > 3 && seen.refusals > 3, JSON.stringify(seen));
  });
});

/** Composes a site with prices in millionths of a dollar. Returns false if it is rightly refused. */
function check(prices: ReadonlyMap<string, number>): boolean {
  const site = hosted(Object.fromEntries([...prices].map(([name, micros]) => [name, `$${(micros / 1e6).toFixed(6)}`])));
  const fits = pricesFit([...prices.values()]);
  try {
    const {template, notes} = composeAws(site);
    const acl = template.Resources.WebAcl.Properties;
    assert.ok(fits);
    assert.deepEqual(findingsIn(template), []);
    assert.equal(printed(notes), capacityOf(acl.Rules));
    assert.ok(capacityOf(acl.Rules) <= 5000);
    for (const [name, micros] of prices) assert.equal(askedFor(acl, `/api/v1/${name}`), micros);
    for (const target of freePaths(site)) assert.equal(evaluate(acl, {method: 'GET', target}).action, 'Allow');
    return true;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    assert.match(error.message, /the prices .* cannot be combined|has more than three decimals/);
    assert.ok(!fits, error.message);
    return false;
  }
}

/**
 * Returns true if one base of at most three decimals has all prices, in millionths, among its first hundred multiples.
 */
function pricesFit(micros: readonly number[]): boolean {
  const least = Math.min(...micros);
  const dividers = Array.from({length: 100}, (_, at) => least / (at + 1));
  return dividers.some(base => base % 1000 === 0 && micros.every(price => price % base === 0 && price / base <= 100));
}

/** Returns the price of a GET of a path, in millionths of a dollar. */
function askedFor(acl: WebAcl, target: string): number {
  const verdict = evaluate(acl, {method: 'GET', target});
  assert.equal(verdict.action, 'Monetize');
  const amount = Number(acl.MonetizationConfig?.CryptoConfig.PaymentNetworks[0]?.Prices[0]?.Amount);
  return Math.round(amount * 1e6) * verdict.multiplier;
}
