/** The exact double quotient; 0 for an empty list (design, `ratio`s of an empty list). */
export function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The sentences that are true. */
export function trueOf(sentences: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(sentences).filter(sentence => sentences[sentence]);
}
