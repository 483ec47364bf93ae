import type {Address, Hex} from 'viem';
import code from './contracts.json' with {type: 'json'};

/** USDC on Base Sepolia, the token that x402 uses for prices in dollars. */
export const usdc: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

/** Contracts at their real addresses. The sources are in tests/contracts. */
export const CONTRACTS: readonly {readonly address: Address; readonly bytecode: Hex}[] = [
  {address: usdc, bytecode: code.usdc as Hex},
  // Multicall3 has the same address on all chains. Facilitators use it to find out why a payment fails.
  {address: '0xcA11bde05977b3631167028862bE2a173976CA11', bytecode: code.multicall as Hex},
];
