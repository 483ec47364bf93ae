import assert from 'node:assert/strict';
import {test} from 'node:test';
import contracts from '../../scripts/local-chain/contracts.json' with {type: 'json'};
import {compile} from './solidity.ts';

test('the committed code of the test token and of multicall is what their sources compile to', async () => {
  const [usdc, multicall] = await Promise.all([compile('usdc.sol', 'Usdc'), compile('multicall.sol', 'Multicall')]);
  assert.deepEqual({usdc, multicall}, contracts);
});
