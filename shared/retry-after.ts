/** Returns the seconds in the header Retry-After, which contains a number or a date (RFC 9110, 10.2.3), or NaN. */
export function retryAfterOf(headers: Headers): number {
  const text = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // A date is compared with the clock of the server.
  const now = Date.parse(headers.get('Date') ?? '') || Date.now();
  return (Date.parse(text) - now) / 1000;
}
