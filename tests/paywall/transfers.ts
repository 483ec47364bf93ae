import {parseAbiItem, type Address, type Hex} from 'viem';
import {type LocalChain, usdc} from '../../scripts/local-chain/chain.ts';

const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

/** Returns the transactions of the transfers of the token from one account to another. */
export async function transactionsBetween({client}: LocalChain, from: Address, to: Address): Promise<Hex[]> {
  const transfers = await client.getLogs({address: usdc, event, args: {from, to}, fromBlock: 0n});
  return transfers.map(({transactionHash}) => transactionHash);
}

/** Counts these transfers. */
export async function transfersBetween(chain: LocalChain, from: Address, to: Address): Promise<number> {
  return (await transactionsBetween(chain, from, to)).length;
}
