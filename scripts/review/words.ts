/** A sentence: words of our own, and pieces of data, which each form of the review must show so that they cannot act. */
export type Words = readonly (string | Shown)[];

/** Text from data. */
export interface Shown {
  readonly data: string;
}

/** A sentence from a template; whatever is filled in is data. */
export function say(pieces: TemplateStringsArray, ...values: readonly (string | number)[]): Words {
  return pieces.flatMap((piece, index) => {
    const value = values[index];
    return [...(piece === '' ? [] : [piece]), ...(value === undefined ? [] : [{data: String(value)}])];
  });
}

/** Data alone. */
export function shown(value: string | number): Words {
  return [{data: String(value)}];
}

/** The sentence as plain text, with the data as it is. */
export function plain(words: Words): string {
  return words.map(word => (typeof word === 'string' ? word : word.data)).join('');
}
