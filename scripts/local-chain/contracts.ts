import type {Address, Hex} from 'viem';
import code from './contracts.json' with {type: 'json'};

/** USDC on Base Sepolia: what `$0.02` in a rule means to every x402 client. */
export const usdc: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

/** What the local chain has where the real one has it; the sources are in tests/contracts. */
export const CONTRACTS: readonly {readonly address: Address; readonly bytecode: Hex}[] = [
  {address: usdc, bytecode: code.usdc as Hex},
  // Multicall3, at one address on every chain: where a facilitator asks why a payment fails.
  {address: '0xcA11bde05977b3631167028862bE2a173976CA11', bytecode: code.multicall as Hex},
];
