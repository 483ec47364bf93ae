/** How much of a URL is shown. */
export type Detail =
  /** Everything except user, password, query and fragment. */
  | 'path'
  /** Only scheme and host, for URLs whose path may be a key, such as those of nodes of a chain. */
  | 'origin';

/**
 * Returns a URL for people, logs and descriptors, without user, password, query and fragment, which may be secret. Also accepts git's
 * forms: `user@host:path`, and paths and revisions such as `HEAD@{1}:path`, which are unchanged.
 */
export function shownAddress(address: string, detail: Detail = 'path'): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.host !== '' || url.protocol === 'file:')) {
    if (detail === 'origin' && url.host !== '') return `${url.protocol}//${url.host}`;
    const isBare = url.username === '' && url.password === '' && !address.includes('@');
    return isBare ? address.replace(/[?#].*$/s, '') : `${url.protocol}//${url.host}${url.pathname}`;
  }
  // A malformed URL, in which the end of the password is unknown. A pattern, such as `https?://\S+`, is not a URL.
  if (/^[^?]*\/\//.test(address) && /[:@]/.test(address)) return `${/^[a-z0-9+.-]+:/i.exec(address)?.[0] ?? ''}//…`;
  if (detail === 'origin') return '…';
  // For git, the text before `::` is the name of a program and the rest its argument.
  const helper = /^[a-z0-9+.-]+::/i.exec(address)?.[0];
  if (helper !== undefined) return `${helper}…`;
  const end = address.lastIndexOf('@') + 1;
  return address.slice(0, end).includes(':') ? address.slice(end) : address.replace(/^[^/@\\]*@(?!\{)(?=[^/]*:)/, '');
}

/** A word that may be a URL: quoted text, or text up to a space. */
const WORD = /'[^']*'|"[^"]*"|[^\s'"`<>]+/g;

/** Returns text of another program with every URL in it shown as by `shownAddress`. */
export function withShownAddresses(words: string, detail?: Detail): string {
  return words.replace(WORD, found => {
    const quote = /^['"]/.exec(found)?.[0] ?? '';
    if (quote === '') return shownWord(found, detail);
    return quote + shownValue(found.slice(1, -1), detail) + quote;
  });
}

/** Returns a user's value for messages: a URL, which may contain spaces, or text with URLs in it. */
export function shownValue(value: string, detail?: Detail): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    ? shownAddress(value, detail)
    : value.replace(/\S+/g, word => shownWord(word, detail));
}

/** A word that may be a URL or end in one, as in `error:https://…`, with punctuation around it. */
function shownWord(word: string, detail?: Detail): string {
  const end = /(?<![).,;:!?\]])[).,;:!?\]]*$/.exec(word)?.[0] ?? '';
  const bare = word.slice(0, word.length - end.length);
  const address = bare.search(/(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\//i);
  if (address >= 0) return bare.slice(0, address) + shownAddress(bare.slice(address), detail) + end;
  // `user:password@host`, also after other text, and `user@host:`, as in messages of ssh.
  const at = bare.lastIndexOf('@');
  const isSecret = at >= 0 && (bare.slice(0, at).includes(':') || (end.startsWith(':') && !bare.includes('/')));
  return (isSecret ? bare.slice(at + 1).replace(/[?#].*$/s, '') : shownAddress(bare)) + end;
}
