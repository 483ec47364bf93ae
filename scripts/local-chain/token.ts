import {formatUnits, parseAbi, parseUnits, type Address, type Hex} from 'viem';
import {generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {englishNumber} from '../../shared/english.ts';
import {type Chain, usdc, receiptOf} from './chain.ts';

const usdcAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function mint(address to, uint256 value)',
]);

/** Returns the balance in atomic units, which are millionths of a dollar. */
export function balanceOf({client}: Chain, address: Address): Promise<bigint> {
  return client.readContract({address: usdc, abi: usdcAbi, functionName: 'balanceOf', args: [address]});
}

/** Formats atomic units of the token as dollars: `0.02` for 20,000. */
export function dollars(atomic: bigint | string): string {
  return englishNumber(formatUnits(BigInt(atomic), 6), {minFraction: 2, maxFraction: 6});
}

/** Creates an account with dollars of the token, such as `0.10`, and without ether, which payers do not need. */
export async function fundedBuyer(
  chain: Chain,
  amount: string,
  privateKey: Hex = generatePrivateKey(),
): Promise<PrivateKeyAccount> {
  const buyer = privateKeyToAccount(privateKey);
  const call = {
    address: usdc,
    abi: usdcAbi,
    functionName: 'mint',
    args: [buyer.address, parseUnits(amount, 6)],
  } as const;
  const hash = await chain.client.writeContract(call);
  await receiptOf(chain.client, hash);
  return buyer;
}
