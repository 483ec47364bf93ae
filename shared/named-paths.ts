/**
 * The absolute paths that a catalogue names. It may be of another version or edited by hand, so nothing of its shape is taken for
 * granted but that an address is a member `url`, below `base_url`, and a path a member `path`.
 */
export function namedPaths(catalogue: unknown): string[] {
  const base = String((catalogue as {base_url?: unknown} | null | undefined)?.base_url);
  return textsIn(catalogue).flatMap(([member, text]) => {
    if (member === 'url' && text.startsWith(`${base}/`)) return [text.slice(base.length)];
    return member === 'path' && text.startsWith('/') ? [text] : [];
  });
}

/** Every member of a JSON value that is a text. */
function textsIn(value: unknown): [member: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    typeof inner === 'string' ? [[member, inner] satisfies [string, string]] : textsIn(inner),
  );
}
