/** Returns a count with its noun, for example `1 product`, `17 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
