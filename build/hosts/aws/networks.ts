import {refuse, type Fault} from '../../../shared/fault.ts';
import type {Hosted} from '../host.ts';

interface Chain {
  readonly name: 'BASE' | 'BASE_SEPOLIA';
  readonly mode: 'REAL' | 'TEST';
}

/** Where AWS WAF collects money, and whether it is real. */
export interface Networks {
  readonly mode: Chain['mode'];
  readonly wallets: readonly {readonly chain: Chain['name']; readonly wallet: string}[];
}

/** What AWS WAF knows of the networks that a site may name, by CAIP-2 name. */
const CHAINS: ReadonlyMap<string, Chain> = new Map([
  ['eip155:8453', {name: 'BASE', mode: 'REAL'}],
  ['eip155:84532', {name: 'BASE_SEPOLIA', mode: 'TEST'}],
]);

/** Throws `InputError` for networks that AWS WAF does not know. A site has test networks or main ones, not both. */
export function networksOf({payment: {accepts}}: Hosted['site']): Networks {
  const found = accepts.map(({network, pay_to}) => ({network, chain: CHAINS.get(network), wallet: pay_to}));
  const unknown = `is not a network AWS WAF knows: ${[...CHAINS.keys()].join(', ')}`;
  refuse(found.flatMap(({network, chain}, index) => (chain ? [] : networkFault(index, network, unknown))));
  const mode = found[0]?.chain?.mode ?? 'REAL';
  return {mode, wallets: found.flatMap(({chain, wallet}) => (chain ? [{chain: chain.name, wallet}] : []))};
}

function networkFault(index: number, network: string, rule: string): Fault[] {
  return [{file: 'data/site.json', field: `payment.accepts[${index}].network`, value: network, rule}];
}
