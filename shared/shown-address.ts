/** How much of an address is shown. */
export type Detail =
  /** Everything but user, password, query and fragment. */
  | 'path'
  /** Scheme and host alone, for addresses whose path holds a key, as those of nodes of a chain do. */
  | 'origin';

/**
 * An address for people, logs and descriptors: without user, password, query and fragment, which may be secret. Also takes what git
 * takes for an address: `user@host:path`, and paths, which stay as they are.
 */
export function shownAddress(address: string, detail: Detail = 'path'): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.host !== '' || url.protocol === 'file:')) {
    if (detail === 'origin') return `${url.protocol}//${url.host}`;
    const isBare = url.username === '' && url.password === '' && !address.includes('@');
    return isBare ? address.replace(/[?#].*$/s, '') : `${url.protocol}//${url.host}${url.pathname}`;
  }
  // Broken, and so nobody knows where in it the password ends.
  if (address.includes('//') && /[:@]/.test(address)) return `${/^[a-z0-9+.-]+:/i.exec(address)?.[0] ?? ''}//…`;
  if (detail === 'origin') return '…';
  return address.replace(/^[^/@\\]*@(?=[^/]*:)/, '');
}

/** An address within words of others: to its closing quote where it is quoted, else up to a space. */
const ADDRESS =
  /(?<=')[a-z][a-z0-9+.-]*:\/\/[^']*(?=')|(?<=")[a-z][a-z0-9+.-]*:\/\/[^"]*(?=")|[a-z][a-z0-9+.-]*:\/\/[^\s'"`<>]+/gi;

/** `user:password@host:path`, as git takes it. */
const OF_SSH = /(?<![\w.])[^\s'"`<>@/:]+:[^\s'"`<>@/]+@(?=[\w.-]+:)/g;

/** Words of another program, with every address in them shown as `shownAddress` does. */
export function withShownAddresses(words: string): string {
  const shown = (found: string) => {
    const end = /[).,;:!?\]]*$/.exec(found)?.[0] ?? '';
    return shownAddress(found.slice(0, found.length - end.length)) + end;
  };
  return words.replaceAll(ADDRESS, shown).replaceAll(OF_SSH, '');
}
