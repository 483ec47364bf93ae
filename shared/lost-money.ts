// Zero, 0x1111…1111 and their kind are placeholders; the other is where tokens are sent to be destroyed.
const placeholder = /^0x(.)\1{39}$/i;
const burn = /^0x0{36}dead$/i;

/** Whether real money paid to this address on this network (CAIP-2) would be lost, since nobody owns the address. */
export async function isLostMoney(network: string, payTo: string): Promise<boolean> {
  return (placeholder.test(payTo) || burn.test(payTo)) && !(await isTestnet(network));
}

/** Whether some of these networks have real money and some have test money, for which anybody would get what others pay for. */
export async function isMoneyMixed(networks: readonly string[]): Promise<boolean> {
  return networks.length > 1 && new Set(await Promise.all(networks.map(isTestnet))).size > 1;
}

/** Whether money on this network is play money. A network that nobody knows is taken for a main network. */
async function isTestnet(network: string): Promise<boolean> {
  // Hundreds of chains: loaded only where it matters.
  const chains = Object.values(await import('viem/chains'));
  return chains.some(chain => `eip155:${chain.id}` === network && chain.testnet === true);
}
