import {MAX_PLACEHOLDERS} from './bounds.ts';

/** A line of `_redirects`, as wrangler splits it. */
export interface Redirect {
  /** 1-based. */
  readonly line: number;
  readonly from: string;
  readonly to: string;
  /** As it is written; absent, it is 302. */
  readonly status: string | undefined;
}

/** A rule that could hand out a file of the tree without asking the gate. */
export interface RedirectFault {
  readonly line: number;
  readonly rule: string;
}

/** The file below `public/`. Workers and Pages follow it, and serve it to nobody. */
export const REDIRECTS = '/_redirects';

/** Statuses that tell a browser where to go, where it is asked for money as everywhere else. */
const MOVED: readonly string[] = ['301', '302', '303', '307', '308'];

/** What Cloudflare takes: characters of a line, rules without placeholders before the first one with them, and rules from there on. */
const MOST_CHARACTERS = 2000;
const MOST_PLAIN = 2000;
const MOST_OTHERS = 100;

/**
 * The rules of a `_redirects`, and the lines that are none. Lines are split as in `parseRedirects` of wrangler 4.86
 * (workers-shared/utils/configuration), which no package exports. What it ignores for other reasons (a second rule for a path) is
 * kept here: Cloudflare parses the file once more.
 */
export function redirectsIn(text: string): {rules: readonly Redirect[]; faults: readonly RedirectFault[]} {
  const rules: Redirect[] = [];
  const faults: RedirectFault[] = [];
  let [plain, others] = [0, 0];
  for (const [at, whole] of text.split('\n').entries()) {
    const trimmed = whole.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const line = at + 1;
    // Of a run of spaces, only its beginning is looked at.
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

/** The paths of a site that rules must not touch, and those that they may lead to. */
export interface Reach {
  /** What anybody may read. */
  readonly free: ReadonlySet<string>;
  /** What the gate reads itself: rules are followed there, too, and without the file nothing is sold. */
  readonly gated: readonly string[];
}

/**
 * What is wrong with a `_redirects`: every line that is not known to be harmless. A redirect is, but from what the gate reads; so is a
 * rewrite onto a free file that is spelled as the catalogue spells it, since that has no placeholder, nothing to decode and no `..`.
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
  // `Number`, as wrangler reads it: 200.0, 2e2 and 0xC8 are 200.
  if (Number(status) === 200) return 'rewrites with status 200, which gives paid documents away';
  return `has the status ${JSON.stringify(status)}, which is none of ${MOVED.join(', ')}`;
}

const PLACEHOLDER = /:[A-Za-z]\w*|\*/g;

function placeholdersIn(written: string): number {
  return written.match(PLACEHOLDER)?.length ?? 0;
}

/** The first of some paths that a pattern stands for. */
function takenFrom(pattern: string, paths: ReadonlySet<string>): string | undefined {
  if (pattern.search(PLACEHOLDER) < 0) return paths.has(pattern) ? pattern : undefined;
  const slashes = pattern.split('/').length;
  const parts = partsOf(pattern);
  return [...paths].find(
    path => (pattern.includes('*') || path.split('/').length === slashes) && valuesIn(parts, path) !== undefined,
  );
}

/**
 * The paths to ask for to see where a rule leads: one, and where its target has placeholders, one for every path that it can lead to.
 */
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

/** A path as Cloudflare makes it of one that is written: encoded, without query, `..` and doubled slashes. */
function pathnameOf(written: string): string {
  const path = written.replace(/^https:\/\/+[^/]+/i, '');
  const url = `http://x/${path}`;
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+/g, '/') : path;
}

/** A pattern, taken apart once for all paths. */
interface Parts {
  readonly names: readonly string[];
  readonly first: string;
  /** What stands behind each placeholder. */
  readonly pieces: readonly string[];
}

function partsOf(pattern: string): Parts {
  const [first = '', ...pieces] = pattern.split(PLACEHOLDER);
  return {names: pattern.match(PLACEHOLDER) ?? [], first, pieces};
}

/** What the placeholders of a pattern stand for where it is a path; each is as short as can be, so that it takes linear time. */
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
