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

/** Limits of Cloudflare: characters in a line, and rules without placeholders. */
const MOST_CHARACTERS = 2000;
const MOST_RULES = 2000;

/** A named part of a path, or any rest of it. */
const PLACEHOLDER = /:[A-Za-z]|\*/;

/**
 * Returns the rules of a `_redirects`, and its invalid lines. A rule with a placeholder is invalid here, because it would take a solver to
 * find out which paths it can lead to. Lines are split as in `parseRedirects` of wrangler 4.86 (workers-shared/utils/configuration), which
 * no package exports. Rules that it ignores for other reasons, such as a second rule for a path, are kept, because Cloudflare parses the
 * file again.
 */
export function redirectsIn(text: string): {rules: readonly Redirect[]; faults: readonly RedirectFault[]} {
  const rules: Redirect[] = [];
  const faults: RedirectFault[] = [];
  for (const [at, whole] of text.split('\n').entries()) {
    const trimmed = whole.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const line = at + 1;
    // Matches only at the start of a run of spaces, so that it takes linear time.
    const [from = '', to, status, ...more] = trimmed.replace(/(?<=\S)\s+#.*$/, '').split(/\s+/);
    if (rules.length + faults.length === MOST_RULES) {
      faults.push({line, rule: `exceeds the ${MOST_RULES} rules that Cloudflare allows`});
      break;
    }
    if (trimmed.length > MOST_CHARACTERS)
      faults.push({line, rule: `has more than ${MOST_CHARACTERS} characters, so Cloudflare ignores it`});
    else if (PLACEHOLDER.test(from) || PLACEHOLDER.test(to ?? ''))
      faults.push({line, rule: 'has a placeholder or a *, and only rules for single paths can be checked'});
    else if (to === undefined || more.length > 0)
      faults.push({line, rule: 'is not a rule, which has two or three words'});
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
 * harmless if they lead to a free file, spelled as in the catalogue.
 */
export function redirectFaults(text: string, {free, gated}: Reach): RedirectFault[] {
  const {rules, faults} = redirectsIn(text);
  const known = new Set(gated);
  const broken = rules.flatMap(({line, from, to, status}) => {
    if (status !== undefined && !MOVED.includes(status) && !(status === '200' && free.has(to)))
      return [{line, rule: ruleBroken(status)}];
    const taken = pathnameOf(from);
    return known.has(taken) ? [{line, rule: `redirects ${taken}, which the gate must be able to read`}] : [];
  });
  return [...faults, ...broken].sort((a, b) => a.line - b.line);
}

function ruleBroken(status: string): string {
  // wrangler uses `Number`, so 200.0, 2e2 and 0xC8 mean 200.
  if (Number(status) === 200) return 'rewrites with status 200, which serves paid documents without payment';
  return `has the status ${JSON.stringify(status)}, which is not one of ${MOVED.join(', ')}`;
}

/** Normalises a path as Cloudflare does: encodes it, and removes query, `..` and repeated slashes. */
export function pathnameOf(written: string): string {
  const path = written.replace(/^https:\/\/+[^/]+/i, '');
  const url = `http://x/${path}`;
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+/g, '/') : path;
}
