/** The name and kind of a network. */
export interface KnownNetwork {
  /** For example `Base Sepolia`, or the CAIP-2 identifier of an unknown network. */
  readonly name: string;
  /** True if its money is worthless. An unknown network counts as a main network. */
  readonly isTest: boolean;
}

/** Returns name and kind of a network in CAIP-2, for example `eip155:84532`. */
export async function networkOf(network: string): Promise<KnownNetwork> {
  // Loaded late, because there are hundreds of chains.
  const chains = Object.values(await import('viem/chains')).filter(({id}) => `eip155:${id}` === network);
  return {name: chains[0]?.name ?? network, isTest: chains.some(({testnet}) => testnet === true)};
}
