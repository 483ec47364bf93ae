/** True if two names differ by a plural, a hyphen or underscore, or one mistyped letter. Names that differ by a digit are not close. */
export function isClose(one: string, other: string): boolean {
  const [a, b] = [one, other].map(plain);
  if (a === undefined || b === undefined) return false;
  return a === b || (Math.min(a.length, b.length) > 3 && differByOneLetter(a, b));
}

/** A name without separators, each word in the singular. */
function plain(name: string): string {
  const words = name.toLowerCase().split(/[-_]+/);
  return words.map(word => word.replace(/ies$/, 'y').replace(/(?<=s|x|z|ch|sh)es$|(?<!s)s$/, '')).join('');
}

/** One letter more, less or other, or two neighbours swapped. */
function differByOneLetter(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (/\d/.test(left + right)) return false;
  const isSwapped = left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isSwapped || (left.length <= 1 && right.length <= 1);
}
