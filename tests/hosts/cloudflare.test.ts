import assert from 'node:assert/strict';
import {test} from 'node:test';
import cloudflare from '../../build/hosts/cloudflare.ts';
import {fixtureSite} from '../paywall/fixture-site.ts';

test('the configuration of a Worker has the same length for a thousand products and for three', async () => {
  const fixture = await fixtureSite();
  const site = fixture.rules;
  const [rule = assert.fail()] = site.rules;
  const composed = (count: number) => {
    const rules = Array.from({length: count}, (_, index) => ({
      ...rule,
      method: 'GET' as const,
      name: `product${index}`,
      path: `/api/v1/product${index}`,
    }));
    return cloudflare.compose({site, rules, pages: []}).files;
  };
  assert.ok(composed(3).has('paywall/rules/wrangler.jsonc') && composed(3).has('public/_headers'));
  assert.deepEqual(composed(1000), composed(3));
  await fixture.remove();
});
