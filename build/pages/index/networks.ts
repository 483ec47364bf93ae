/** Chains that people know by name; the rest keep their CAIP-2 name. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['eip155:8453', 'Base'],
  ['eip155:84532', 'Base Sepolia, which is test money'],
]);

/** The name of a network for people. */
export function networkWords(network: string): string {
  return NAMES.get(network) ?? network;
}
