import {parseAbi, parseUnits, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import type {Chain} from './chain.ts';
import contracts from './contracts.json' with {type: 'json'};
import {receiptOf} from './receipt.ts';

/** USDC on Base Sepolia: what `$0.02` in a rule means to every x402 client. */
export const usdc: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

/** Multicall3, at one address on every chain: where a facilitator asks why a payment fails. */
const multicall: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

export const usdcAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function balanceOf(address account) view returns (uint256)',
  'function mint(address to, uint256 value)',
]);

/** Places the token, whose source is in tests/contracts, and the multicall that explains failures, where the real ones are. */
export async function placeToken({client}: Chain): Promise<void> {
  await client.setCode({address: usdc, bytecode: contracts.usdc as Hex});
  await client.setCode({address: multicall, bytecode: contracts.multicall as Hex});
}

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
  const [minter] = await chain.client.getAddresses();
  if (!minter) throw new Error('the local chain has no account of its own');
  const call = {
    address: usdc,
    abi: usdcAbi,
    functionName: 'mint',
    args: [buyer.address, parseUnits(dollars, 6)],
  } as const;
  const hash = await chain.client.writeContract({...call, account: minter});
  await receiptOf(chain.client, hash);
  return buyer;
}

/** How many transfers of the token went from one account to another so far. */
export async function transfersBetween({client}: Chain, from: Address, to: Address): Promise<number> {
  const query = {address: usdc, abi: usdcAbi, eventName: 'Transfer', args: {from, to}, fromBlock: 0n} as const;
  return (await client.getContractEvents(query)).length;
}
