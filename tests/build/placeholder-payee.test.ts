import assert from 'node:assert/strict';
import {test} from 'node:test';
import {placeholderPayees} from '../../build/notes/notes.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';

test('a build notes the payee of the demonstration on a main network', async () => {
  const pay_to = SHIPPED_PAYEE.toLowerCase();
  const accepts = ['eip155:8453', 'eip155:84532'].map(network => ({network, pay_to}));
  const own = {network: 'eip155:8453', pay_to: `0x${'ab'.repeat(20)}`};
  assert.deepEqual(await placeholderPayees([...accepts, own]), [
    `${SHIPPED_PAYEE}, paid on Base, is the payee of the demonstration, not yours`,
  ]);
});
