/** The networks that a buyer pays on, by their CAIP-2 identifiers. */
export const NETWORKS: Readonly<Record<string, string>> = {
  'eip155:8453': 'Base',
  'eip155:84532': 'Base Sepolia (test money)',
};

const NAMES: Readonly<Record<string, string>> = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
};

/** True if payments on the network are real money: on all networks except the known test network. */
export function isMain(network: string): boolean {
  return network !== NAMES['base-sepolia'];
}

/** Returns the value of `--network` for a network: its short name if it has one. */
export function optionFor(network: string): string {
  return Object.keys(NAMES).find(name => NAMES[name] === network) ?? network;
}

/** Returns the CAIP-2 identifier of a network by its identifier, short name or display name. Throws if it is unknown. */
export function networkOf(text: string): string {
  const wanted = text.trim().toLowerCase();
  const known = Object.keys(NETWORKS).find(id => [id, optionFor(id), NETWORKS[id]?.toLowerCase()].includes(wanted));
  if (known === undefined) throw new Error(`Expected a network: ${Object.keys(NAMES).join(' or ')}.`);
  return known;
}

export function isNetwork(text: string): boolean {
  try {
    networkOf(text);
    return true;
  } catch {
    return false; // unknown
  }
}
