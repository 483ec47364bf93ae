import {MAX_PLACEHOLDERS} from './bounds.ts';

/** A rule of `_redirects`, split as in wrangler. */
export interface Redirect {
  /** From 1. */
  readonly line: number;
  readonly from: string;
  readonly to: string;
  /** As written; the default is 302. */
  readonly status: string | undefined;
}

/** A rule that could serve a file without the gate. */
export interface RedirectFault {
  readonly line: number;
  readonly rule: string;
}

/** Workers and Pages apply this file, and do not serve it. */
export const REDIRECTS = '/_redirects';

/** Statuses of redirects. The browser then requests the target through the gate. */
const MOVED: readonly string[] = ['301', '302', '303', '307', '308'];

/** Limits of Cloudflare: characters in a line, rules before the first one with a placeholder, and rules from there on. */
const MOST_CHARACTERS = 2000;
const MOST_PLAIN = 2000;
const MOST_OTHERS = 100;

/**
 * Returns the rules of a `_redirects`, and its invalid lines. Lines are split as in `parseRedirects` of wrangler 4.86
 * (workers-shared/utils/configuration), which no package exports. Rules that it ignores for other reasons, such as a second rule for a
 * path, are kept, because Cloudflare parses the file again.
 */
export function redirectsIn(text: string): {rules: readonly Redirect[]; faults: readonly RedirectFault[]} {
  const rules: Redirect[] = [];
  const faults: RedirectFault[] = [];
  let [plain, others] = [0, 0];
  for (const [at, whole] of text.split('\n').entries()) {
    const trimmed = whole.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const line = at + 1;
    // Matches only at the start of a run of spaces, so that it takes linear time.
    const [from = '', to, status, ...more] = trimmed.replace(/(?<=\S)\s+#.*$/, '').split(/\s+/);
    if (others > 0 || from.search(PLACEHOLDER) >= 0) others += 1;
    else plain += 1;
    if (plain > MOST_PLAIN || others > MOST_OTHERS) {
      faults.push({
        line,
        rule: `is beyond the ${MOST_PLAIN} rules, and ${MOST_OTHERS} with placeholders, that Cloudflare takes`,
      });
      break;
    }
    if (trimmed.length > MOST_CHARACTERS)
      faults.push({line, rule: `has more than ${MOST_CHARACTERS} characters, and Cloudflare ignores it`});
    else if (placeholdersIn(from) + placeholdersIn(to ?? '') > MAX_PLACEHOLDERS)
      faults.push({line, rule: `has more than ${MAX_PLACEHOLDERS} placeholders`});
    else if (to === undefined || more.length > 0)
      faults.push({line, rule: 'is not a rule: a rule has two or three words'});
    else rules.push({line, from, to, status});
  }
  return {rules, faults};
}

/** The paths that matter for rules. */
export interface Reach {
  /** Free paths. Rules may lead to them. */
  readonly free: ReadonlySet<string>;
  /** Paths that the gate reads itself. Rules apply to these reads too, and without the files nothing is sold. */
  readonly gated: readonly string[];
}

/**
 * Returns the lines of `_redirects` that may be harmful. Redirects are harmless, except from paths that the gate reads. Rewrites are
 * harmless if they lead to a free file, spelled as in the catalogue: such a path has no placeholder, no encoding and no `..`.
 */
export function redirectFaults(text: string, {free, gated}: Reach): RedirectFault[] {
  const {rules, faults} = redirectsIn(text);
  const known = new Set(gated);
  const broken = rules.flatMap(({line, from, to, status}) => {
    if (status !== undefined && !MOVED.includes(status) && !(status === '200' && free.has(to)))
      return [{line, rule: ruleBroken(status)}];
    const taken = takenFrom(pathnameOf(from), known);
    return taken === undefined ? [] : [{line, rule: `takes ${taken} away from the gate, which reads it there`}];
  });
  return [...faults, ...broken].sort((a, b) => a.line - b.line);
}

function ruleBroken(status: string): string {
  // wrangler uses `Number`, so 200.0, 2e2 and 0xC8 mean 200.
  if (Number(status) === 200) return 'rewrites with status 200, which gives paid documents away';
  return `has the status ${JSON.stringify(status)}, which is none of ${MOVED.join(', ')}`;
}

const PLACEHOLDER = /:[A-Za-z]\w*|\*/g;

function placeholdersIn(written: string): number {
  return written.match(PLACEHOLDER)?.length ?? 0;
}

/** Returns the first path that a pattern matches. */
function takenFrom(pattern: string, paths: ReadonlySet<string>): string | undefined {
  if (pattern.search(PLACEHOLDER) < 0) return paths.has(pattern) ? pattern : undefined;
  const slashes = pattern.split('/').length;
  const parts = partsOf(pattern);
  return [...paths].find(
    path => (pattern.includes('*') || path.split('/').length === slashes) && valuesIn(parts, path) !== undefined,
  );
}

/** Yields paths to request to test a rule: one, and if the target has placeholders, one for each wanted path that it can lead to. */
export function* pathsThrough({from, to}: Redirect, wanted: readonly string[]): Generator<string> {
  const filled = (values: ReadonlyMap<string, string>) =>
    pathnameOf(from.replaceAll(PLACEHOLDER, name => values.get(name === '*' ? ':splat' : name) ?? 'x'));
  yield filled(new Map());
  const target = pathnameOf(to);
  if (target.search(PLACEHOLDER) < 0) return;
  const parts = partsOf(target);
  for (const path of wanted) {
    const values = valuesIn(parts, path);
    if (values) yield filled(values);
  }
}

/** Normalises a path as Cloudflare does: encodes it, and removes query, `..` and repeated slashes. */
function pathnameOf(written: string): string {
  const path = written.replace(/^https:\/\/+[^/]+/i, '');
  const url = `http://x/${path}`;
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+/g, '/') : path;
}

/** A parsed pattern. */
interface Parts {
  readonly names: readonly string[];
  readonly first: string;
  /** The text after each placeholder. */
  readonly pieces: readonly string[];
}

function partsOf(pattern: string): Parts {
  const [first = '', ...pieces] = pattern.split(PLACEHOLDER);
  return {names: pattern.match(PLACEHOLDER) ?? [], first, pieces};
}

/** Returns the values of the placeholders if a pattern matches a path. Each value is as short as possible, so that it takes linear time. */
function valuesIn({names, first, pieces}: Parts, path: string): Map<string, string> | undefined {
  if (!path.startsWith(first)) return undefined;
  const values = new Map<string, string>();
  let at = first.length;
  for (const [index, name] of names.entries()) {
    const piece = pieces[index] ?? '';
    const least = name === '*' ? at : at + 1;
    const isLast = index === names.length - 1;
    const end = isLast ? path.length - piece.length : path.indexOf(piece, least);
    if (end < least || !path.startsWith(piece, end)) return undefined;
    values.set(name, path.slice(at, end));
    at = end + piece.length;
  }
  return values;
}
