const MOST_NAMED = 5;

/** The first of these names, and how many more there are: `a, b, 2 more`. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
