import {paths} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {listedPaths, paidPaths} from './catalogue.ts';
import {verdict, type Check} from './check.ts';

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
 * Checks a `_redirects`. Redirects are harmless, except from paths that the gate reads itself: they apply to these reads too, and without
 * the files nothing is sold. Rewrites are harmless if they lead to a free file, spelled as in the catalogue; others bypass the gate. A rule
 * with a placeholder is refused, because it would take a solver to find out which paths it can lead to.
 */
export function redirectChecks(text: string, catalogue: Catalogue): Check[] {
  const paid = new Set(paidPaths(catalogue));
  const free = new Set([paths.catalogue, ...listedPaths(catalogue)].filter(path => !paid.has(path)));
  const gated = new Set([paths.catalogue, ...paid]);
  const rules = text
    .split('\n')
    .map((line, at) => ({line: at + 1, text: line.trim()}))
    .filter(({text: rule}) => rule !== '' && !rule.startsWith('#'));
  const more = rules[MOST_RULES];
  const faults = [
    ...rules.slice(0, MOST_RULES).flatMap(({line, text: rule}) => {
      const fault = ruleFault(rule, free, gated);
      return fault === undefined ? [] : [`line ${line} ${fault}`];
    }),
    ...(more ? [`line ${more.line} exceeds the ${MOST_RULES} rules that Cloudflare allows`] : []),
  ];
  return verdict('redirects', REDIRECTS, faults, 'no rule bypasses the gate to a paid document');
}

/**
 * Returns why a rule may be harmful, as the end of a sentence. Lines are split as in `parseRedirects` of wrangler 4.86
 * (workers-shared/utils/configuration), which no package exports.
 */
function ruleFault(rule: string, free: ReadonlySet<string>, gated: ReadonlySet<string>): string | undefined {
  if (rule.length > MOST_CHARACTERS) return `has more than ${MOST_CHARACTERS} characters, so Cloudflare ignores it`;
  // Matches only at the start of a run of spaces, so that it takes linear time.
  const [from = '', to, status, ...more] = rule.replace(/(?<=\S)\s+#.*$/, '').split(/\s+/);
  if (PLACEHOLDER.test(from) || PLACEHOLDER.test(to ?? ''))
    return 'has a placeholder or a *, and only rules for single paths can be checked';
  if (to === undefined || more.length > 0) return 'is not a rule, which has two or three words';
  if (status !== undefined && !MOVED.includes(status) && !(status === '200' && free.has(to)))
    // wrangler uses `Number`, so 200.0, 2e2 and 0xC8 mean 200.
    return Number(status) === 200
      ? 'rewrites with status 200, which serves paid documents without payment'
      : `has the status ${JSON.stringify(status)}, which is not one of ${MOVED.join(', ')}`;
  const taken = pathnameOf(from);
  return gated.has(taken) ? `redirects ${taken}, which the gate must be able to read` : undefined;
}

/** Normalises a path as Cloudflare does: encodes it, and removes query, `..` and repeated slashes. */
function pathnameOf(written: string): string {
  const path = written.replace(/^https:\/\/+[^/]+/i, '');
  const url = `http://x/${path}`;
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+/g, '/') : path;
}
