import {parseAbi, parseUnits, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Chain} from './chain.ts';
import {usdc} from './contracts.ts';
import {receiptOf} from './receipt.ts';

export const usdcAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function balanceOf(address account) view returns (uint256)',
  'function mint(address to, uint256 value)',
]);

/** The balance in atomic units, a millionth of a dollar each. */
export function balanceOf({client}: Chain, address: Address): Promise<bigint> {
  return client.readContract({address: usdc, abi: usdcAbi, functionName: 'balanceOf', args: [address]});
}

/** A new account with this many dollars of the token, e.g. `0.10`, and no ether: paying needs none. */
export async function fundedBuyer(
  chain: Chain,
  dollars: string,
  privateKey: Hex = generatePrivateKey(),
): Promise<PrivateKeyAccount> {
  const buyer = privateKeyToAccount(privateKey);
  const call = {
    address: usdc,
    abi: usdcAbi,
    functionName: 'mint',
    args: [buyer.address, parseUnits(dollars, 6)],
  } as const;
  const hash = await chain.client.writeContract(call);
  await receiptOf(chain.client, hash);
  return buyer;
}

/** How many transfers of the token went from one account to another so far. */
export async function transfersBetween({client}: Chain, from: Address, to: Address): Promise<number> {
  const query = {address: usdc, abi: usdcAbi, eventName: 'Transfer', args: {from, to}, fromBlock: 0n} as const;
  return (await client.getContractEvents(query)).length;
}
