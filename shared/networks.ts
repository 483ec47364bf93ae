/** A network as people know it. */
export interface KnownNetwork {
  /** E.g. `Base Sepolia`, or its CAIP-2 identifier where nobody has named it. */
  readonly name: string;
  /** Whether its money is play money. A network that nobody knows is taken for a main network. */
  readonly isTest: boolean;
}

/** What is known of a network in CAIP-2, e.g. `eip155:84532`. */
export async function networkOf(network: string): Promise<KnownNetwork> {
  // Hundreds of chains: loaded only where it matters.
  const chains = Object.values(await import('viem/chains')).filter(({id}) => `eip155:${id}` === network);
  return {name: chains[0]?.name ?? network, isTest: chains.some(({testnet}) => testnet === true)};
}
