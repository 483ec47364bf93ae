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

/**
 * The rules of a `_redirects`, and the lines that are none. Lines are split as in `parseRedirects` of wrangler 4.86
 * (workers-shared/utils/configuration), which no package exports. What wrangler ignores (a line too long, a second rule for a path) is
 * kept here: Cloudflare parses the file once more.
 */
export function redirectsIn(text: string): {rules: readonly Redirect[]; faults: readonly RedirectFault[]} {
  const rules: Redirect[] = [];
  const faults: RedirectFault[] = [];
  for (const [at, whole] of text.split('\n').entries()) {
    const trimmed = whole.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [from = '', to, status, ...more] = trimmed.replace(/\s+#.*$/, '').split(/\s+/);
    const line = at + 1;
    if (to === undefined || more.length > 0) faults.push({line, rule: 'is no rule: one has two words, or three'});
    else rules.push({line, from, to, status});
  }
  return {rules, faults};
}

/**
 * What is wrong with a `_redirects`: every line that is not known to be harmless. A redirect is; so is a rewrite onto a free file that
 * is spelled as the catalogue spells it, since that has no placeholder, nothing to decode and no `..`.
 */
export function redirectFaults(text: string, free: ReadonlySet<string>): RedirectFault[] {
  const {rules, faults} = redirectsIn(text);
  const open = rules.filter(
    ({status, to}) => status !== undefined && !MOVED.includes(status) && !isRewriteTo(free, status, to),
  );
  return [...faults, ...open.map(rule => ({line: rule.line, rule: ruleBroken(rule)}))].sort((a, b) => a.line - b.line);
}

function isRewriteTo(free: ReadonlySet<string>, status: string, to: string): boolean {
  return status === '200' && free.has(to);
}

function ruleBroken({status = ''}: Redirect): string {
  // `Number`, as wrangler reads it: 200.0, 2e2 and 0xC8 are 200.
  if (Number(status) === 200) return 'rewrites with status 200, which gives paid documents away';
  return `has the status ${JSON.stringify(status)}, which is none of ${MOVED.join(', ')}`;
}

const PLACEHOLDER = /:[A-Za-z]\w*|\*/g;
/** A paid path has three segments; many more placeholders take for ever to solve. */
const MOST_PLACEHOLDERS = 6;

/** The paths to ask for to see where a rule leads: one, and where its target has placeholders, one for every path that it can lead to. */
export function pathsThrough({from, to}: Redirect, wanted: readonly string[]): string[] {
  const filled = (values: Readonly<Record<string, string>>) =>
    from.replaceAll(PLACEHOLDER, name => values[name === '*' ? 'splat' : name.slice(1)] ?? 'x');
  const solved = wanted.flatMap(path => {
    const values = valuesIn(to, path);
    return values ? [filled(values)] : [];
  });
  return [...new Set([filled({}), ...solved])];
}

/** What the placeholders of a target must stand for to make it a path; nothing where it has none, or cannot be made that path. */
function valuesIn(to: string, path: string): Record<string, string> | undefined {
  const names = to.match(PLACEHOLDER) ?? [];
  if (names.length === 0 || names.length > MOST_PLACEHOLDERS) return undefined;
  // Every other character stands for itself.
  const fixed = to.split(PLACEHOLDER).map(piece => piece.replaceAll(/[^\w/-]/g, String.raw`\$&`));
  const found = new RegExp(`^${fixed.join('(.*?)')}$`, 's').exec(path);
  return found ? Object.fromEntries(names.map((name, at) => [name.slice(1), found[at + 1] ?? ''])) : undefined;
}
