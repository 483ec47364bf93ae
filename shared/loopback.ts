/** Whether a host name, as `URL` spells it, is this machine by definition (RFC 6761, RFC 4291). */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
