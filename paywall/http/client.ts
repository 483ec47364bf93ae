import type {Context} from 'hono';
import type {GateEnv} from './gate-env.ts';

/** The client of a request, as limits count it, or undefined if the host does not report clients. */
export function clientOf(c: Context<GateEnv>): string | undefined {
  const {clientAddress} = (c.env as Partial<GateEnv['Bindings']> | undefined) ?? {};
  return clientAddress === undefined ? undefined : (subnetOf(clientAddress) ?? clientAddress);
}

/**
 * Returns an IPv4 address as it is, and the first address of the /64 of an IPv6 address, because a client usually has all addresses of a
 * /64. An IPv4-mapped IPv6 address is the IPv4 address. A port is ignored. Returns undefined if the text is not an IP address.
 */
export function subnetOf(text: string): string | undefined {
  const address = text.replace(/^\[(.+)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3').replace(/%.*/, '');
  if (/^[\d.]+$/.test(address)) return hostIn(address) === address ? address : undefined;
  const host = /^[\da-f:.]+$/i.test(address) && hostIn(`[${address}]`);
  if (!host) return undefined;
  const groups = groupsOf(host.slice(1, -1));
  return groups.slice(0, 6).join() === '0,0,0,0,0,ffff' ? mappedIn(groups) : `${groups.slice(0, 4).join(':')}::`;
}

/** The host as URLs spell it: IPv6 addresses in lower case, without leading zeros and embedded IPv4. */
function hostIn(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = [], tail] = address.split('::').map(part => part.split(':').filter(Boolean));
  return tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head;
}

function mappedIn(groups: readonly string[]): string {
  const numbers = groups.slice(6).map(group => Number.parseInt(group, 16));
  return numbers.flatMap(number => [number >> 8, number & 255]).join('.');
}
