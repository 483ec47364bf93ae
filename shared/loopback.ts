/** True if a host name, as in `URL.hostname`, always means this machine (RFC 6761, RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
