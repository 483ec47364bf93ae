import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {DEFAULT_LIMITS} from '../../paywall/payments/limits.ts';
import {gateSettings} from '../../scripts/terminal/gate-settings.ts';
import {InputError} from '../../shared/fault.ts';

describe('the settings of a gate', () => {
  test('are the default limits and no header if the variables are not set or empty', async () => {
    const empty = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map(name => [name, '']));
    for (const env of [{}, {...empty, FROZEN_CLIENT_ADDRESS_HEADER: ''}]) {
      const {limits, clientAddressHeader} = await gateSettings(env);
      assert.deepEqual([limits, clientAddressHeader], [DEFAULT_LIMITS, undefined]);
    }
  });

  test('have each limit that is set, and the name of the header', async () => {
    const env = {
      FROZEN_MAX_VERIFICATIONS: '1',
      FROZEN_MAX_WAITING_PER_PAYER: '999999',
      FROZEN_CLIENT_ADDRESS_HEADER: 'X-Real-IP',
    };
    const {limits, clientAddressHeader} = await gateSettings(env);
    assert.deepEqual(limits, {...DEFAULT_LIMITS, MAX_VERIFICATIONS: 1, MAX_WAITING_PER_PAYER: 999_999});
    assert.equal(clientAddressHeader, 'X-Real-IP');
  });

  test('refuses more than 100 percent', async () => {
    await assert.rejects(
      gateSettings({FROZEN_MAX_CONTRACT_GAS_PERCENT: '101'}),
      /is not a whole number from 1 to 100: /,
    );
    assert.equal((await gateSettings({FROZEN_MAX_CONTRACT_GAS_PERCENT: '100'})).limits.MAX_CONTRACT_GAS_PERCENT, 100);
  });

  for (const value of ['0', '-1', '1.5', '1e3', ' 12', '12 ', '0x10', 'many', '1000000', '٣'])
    test(`refuse the limit ${JSON.stringify(value)}`, async () => {
      const refused = gateSettings({FROZEN_MAX_VERIFICATIONS: value, FROZEN_MAX_WAITING: value});
      await assert.rejects(refused, (error: unknown) => {
        assert.ok(error instanceof InputError && error.ofUsage);
        const rule = 'is not a whole number from 1 to 999999: correct it, or unset it for the default';
        const code = 'FZ501';
        assert.deepEqual(error.faults, [
          {code, field: 'FROZEN_MAX_VERIFICATIONS', value, rule},
          {code, field: 'FROZEN_MAX_WAITING', value, rule},
        ]);
        return true;
      });
    });

  for (const value of ['X Real IP', 'X-Real-IP:', 'X-Real-IP, X-Forwarded-For', 'Forwarded', 'forwarded', '__proto__'])
    test(`refuse the header ${JSON.stringify(value)}`, async () => {
      await assert.rejects(gateSettings({FROZEN_CLIENT_ADDRESS_HEADER: value}), (error: unknown) => {
        assert.ok(error instanceof InputError && error.ofUsage);
        assert.match(error.message, /^FROZEN_CLIENT_ADDRESS_HEADER .* is not a header that contains only addresses$/);
        return true;
      });
    });
});
