import slugify from '@sindresorhus/slugify';
import {isDevice} from './file-names.ts';

/** The pattern of source names. */
export const SOURCE_NAME = '^[a-z0-9][a-z0-9-]*$';

const FORMAT_ENDINGS = /(\.(csv|tsv|json|jsonl|ndjson|parquet|gz))+$/i;

/**
 * Returns the end of an error message that suggests a valid source name for an invalid one, or '' if no letter or digit is left. A URL gets
 * no suggestion, because it may contain a password.
 */
export function sourceNameHint(name: string): string {
  const slug = slugOf(name);
  return new RegExp(SOURCE_NAME).test(slug) && !isDevice(slug) ? `; did you mean ${slug}?` : '';
}

/** Returns the end of an error message that suggests an existing source with a similar name, or ''. */
export function knownSourceHint(name: string, known: Iterable<string>): string {
  return closeHint(slugOf(name), known) || closeHint(name, known);
}

/** Returns the end of an error message that suggests a known name that is close to this one, or ''. */
export function closeHint(name: string, known: Iterable<string>): string {
  const close = [...known].sort().find(one => isClose(one, name));
  return close === undefined ? '' : `; did you mean ${close}?`;
}

/** The last part of a path, or the source in it, as a source name. '' for a URL. */
function slugOf(name: string): string {
  if (/[@?]|:\/\//.test(name)) return '';
  const [, inside] = /(?:^|[/\\])data[/\\]sources[/\\]([^/\\]+)/.exec(name) ?? [];
  const last = name.split(/[/\\]/).findLast(part => part !== '') ?? '';
  return slugify((inside ?? last).replace(FORMAT_ENDINGS, ''));
}

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

/** True for one letter added, removed or replaced, or two adjacent letters swapped. */
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
