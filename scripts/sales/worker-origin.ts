/** Returns the origin of a Worker. Throws unless it is `https:` or on this machine, because a token is sent there. */
export function workerOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || `${url.origin}/` !== url.href) throw new Error('Expected an origin, such as https://snapshots.example.');
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return url.origin;
  throw new Error('It is neither https: nor this machine: the token would be readable on its way.');
}
