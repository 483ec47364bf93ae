/** How much of an address is shown. */
export type Detail =
  /** Everything but user, password, query and fragment. */
  | 'path'
  /** Only scheme and host, for addresses whose path may be a key, such as those of nodes of a chain. */
  | 'origin';

/**
 * An address for people, logs and descriptors: without user, password, query and fragment, which may be secret. Also takes what git
 * takes for an address: `user@host:path`, and paths and revisions such as `HEAD@{1}:path`, which stay as they are.
 */
export function shownAddress(address: string, detail: Detail = 'path'): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.host !== '' || url.protocol === 'file:')) {
    if (detail === 'origin' && url.host !== '') return `${url.protocol}//${url.host}`;
    const isBare = url.username === '' && url.password === '' && !address.includes('@');
    return isBare ? address.replace(/[?#].*$/s, '') : `${url.protocol}//${url.host}${url.pathname}`;
  }
  // Broken, and so nobody knows where in it the password ends. A pattern, such as `https?://\S+`, is no address.
  if (/^[^?]*\/\//.test(address) && /[:@]/.test(address)) return `${/^[a-z0-9+.-]+:/i.exec(address)?.[0] ?? ''}//…`;
  if (detail === 'origin') return '…';
  // To git, what stands before the colons names a program, and the rest is for that.
  const helper = /^[a-z0-9+.-]+::/i.exec(address)?.[0];
  if (helper !== undefined) return `${helper}…`;
  const end = address.lastIndexOf('@') + 1;
  return address.slice(0, end).includes(':') ? address.slice(end) : address.replace(/^[^/@\\]*@(?!\{)(?=[^/]*:)/, '');
}

/** What may be an address within words of others: to its closing quote where it is quoted, else up to a space. */
const WORD = /'[^']*'|"[^"]*"|[^\s'"`<>]+/g;

/** Words of another program, with every address in them shown as `shownAddress` does. */
export function withShownAddresses(words: string, detail?: Detail): string {
  return words.replace(WORD, found => {
    const quote = /^['"]/.exec(found)?.[0] ?? '';
    if (quote === '') return shownWord(found, detail);
    return quote + shownValue(found.slice(1, -1), detail) + quote;
  });
}

/** A value that somebody gave: an address, which may have spaces in it, or words. */
export function shownValue(value: string, detail?: Detail): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    ? shownAddress(value, detail)
    : value.replace(/\S+/g, word => shownWord(word, detail));
}

/** A word that may be an address, or end in one, as in `error:https://…`, with punctuation of the sentence around it. */
function shownWord(word: string, detail?: Detail): string {
  const end = /(?<![).,;:!?\]])[).,;:!?\]]*$/.exec(word)?.[0] ?? '';
  const bare = word.slice(0, word.length - end.length);
  const address = bare.search(/(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\//i);
  if (address >= 0) return bare.slice(0, address) + shownAddress(bare.slice(address), detail) + end;
  // `user:password@host`, also behind something else; and `user@host:`, as ssh says it.
  const at = bare.lastIndexOf('@');
  const isSecret = at >= 0 && (bare.slice(0, at).includes(':') || (end.startsWith(':') && !bare.includes('/')));
  return (isSecret ? bare.slice(at + 1).replace(/[?#].*$/s, '') : shownAddress(bare)) + end;
}
