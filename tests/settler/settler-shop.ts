import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {parseEther, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {openShop, type Shop, type ShopOptions} from '../paywall/shop.ts';

/** A shop with gates that settle by themselves. */
export interface SettlerShop extends Shop {
  readonly settler: PrivateKeyAccount;
}

/** @param gas of the settler, in ether */
export async function openSettlerShop(
  chain: LocalChain,
  {gas = '10', ...options}: Omit<ShopOptions, 'facilitator'> & {gas?: string} = {},
): Promise<SettlerShop> {
  const key = generatePrivateKey();
  const settler = await fundedSettler(chain, gas, key);
  const unreachable = {
    url: 'http://127.0.0.1:9',
    stop: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const shop = await openShop({facilitator: unreachable, rpcUrl: chain.rpcUrl, ...options});
  const file = join(shop.root, 'settler.key');
  await writeFile(file, `${key}\n`, {mode: 0o600});
  const env = {FROZEN_FACILITATOR_URL: '', FROZEN_SETTLER_KEY_FILE: file};
  return {
    ...shop,
    settler,
    start: (like, more) => shop.start(like, {...more, env: {...env, ...more?.env}}),
  };
}

/** An account with gas, in ether. */
export async function fundedSettler(chain: LocalChain, gas: string, key: Hex): Promise<PrivateKeyAccount> {
  const settler = privateKeyToAccount(key);
  await chain.client.setBalance({address: settler.address, value: parseEther(gas)});
  return settler;
}
