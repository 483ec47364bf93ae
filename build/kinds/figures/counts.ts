/** JSON Schema of a number of rows, or of whole hours. */
export const count = {type: 'integer', minimum: 0} as const;

/** JSON Schema of a share. */
export const ratio = {type: 'number', minimum: 0, maximum: 1} as const;

/** The exact double quotient; 0 for an empty list (design, `ratio`s of an empty list). */
export function ratioOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
