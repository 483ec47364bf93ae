import {base58} from '@scure/base';
import {validate as isAddress} from 'ox/Address';
import {InputError, refuse, type Fault} from '../../fault.ts';
import type {Accepted} from '../../read/site.ts';
import type {Hosted} from '../host.ts';

interface Chain {
  readonly name: 'BASE' | 'BASE_SEPOLIA' | 'SOLANA' | 'SOLANA_DEVNET';
  readonly mode: 'REAL' | 'TEST';
  /** What a wallet on this chain must be; completes the sentence "<wallet> …". */
  readonly walletRule: string;
  readonly isWallet: (wallet: string) => boolean;
}

export interface Networks {
  readonly mode: 'REAL' | 'TEST';
  readonly wallets: readonly {readonly chain: Chain['name']; readonly wallet: string}[];
}

// `isAddress` checks the checksum (EIP-55) of a mixed-case address, as AWS WAF does.
const evm = {walletRule: 'is not an address of 40 hexadecimal digits with the right checksum', isWallet: isEvmWallet};
const solana = {walletRule: 'is not a base58 address of 32 bytes', isWallet: isSolanaWallet};

/** By CAIP-2 network. A Solana network is named by the start of its genesis block's hash. */
const chains: ReadonlyMap<string, Chain> = new Map<string, Chain>([
  ['eip155:8453', {name: 'BASE', mode: 'REAL', ...evm}],
  ['eip155:84532', {name: 'BASE_SEPOLIA', mode: 'TEST', ...evm}],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', {name: 'SOLANA', mode: 'REAL', ...solana}],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', {name: 'SOLANA_DEVNET', mode: 'TEST', ...solana}],
]);

const fault = (field: string, value: unknown, rule: string): Fault => ({file: 'data/site.json', field, value, rule});

/** Where AWS WAF collects money. Throws `InputError` for what it cannot: it knows four networks and mixes no two kinds. */
export function networksOf({payment: {accepts}}: Hosted['site']): Networks {
  const faults = accepts.flatMap(faultsOf);
  refuse(faults);
  const found = accepts.map(({network, pay_to}) => ({chain: chainOf(network), wallet: pay_to}));
  const [first] = found;
  if (first === undefined) throw new InputError(fault('payment.accepts', accepts, 'names no network to be paid on'));
  refuse(faultsTogether(accepts, first.chain.mode));
  return {mode: first.chain.mode, wallets: found.map(({chain, wallet}) => ({chain: chain.name, wallet}))};
}

function faultsOf({network, pay_to}: Accepted, index: number): Fault[] {
  const chain = chains.get(network);
  const at = `payment.accepts[${index}]`;
  if (chain === undefined) {
    return [
      fault(
        `${at}.network`,
        network,
        `is not a network AWS WAF knows: ${[...chains.keys()].filter(name => name.startsWith('eip155:')).join(', ')}`,
      ),
    ];
  }
  return chain.isWallet(pay_to) ? [] : [fault(`${at}.pay_to`, pay_to, chain.walletRule)];
}

function faultsTogether(accepts: readonly Accepted[], mode: Chain['mode']): Fault[] {
  return accepts.flatMap(({network}, index) => {
    const field = `payment.accepts[${index}].network`;
    if (chainOf(network).mode !== mode)
      return fault(field, network, 'mixes test and main networks: AWS WAF takes one kind');
    const before = accepts.slice(0, index);
    return before.some(other => other.network === network) ? fault(field, network, 'is named twice') : [];
  });
}

function chainOf(network: string): Chain {
  const chain = chains.get(network);
  if (chain === undefined) throw new Error(`${network} was not checked`);
  return chain;
}

function isEvmWallet(wallet: string): boolean {
  return isAddress(wallet);
}

function isSolanaWallet(wallet: string): boolean {
  try {
    return base58.decode(wallet).length === 32;
  } catch {
    return false; // The library throws at a letter that is not in the base58 alphabet.
  }
}
