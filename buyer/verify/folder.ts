import {lstat, realpath, stat} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import glob from 'fast-glob';
import {paths, RULES_FILE} from '../../shared/paths.ts';
import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {readBounded, textIfThere} from './bounded-file.ts';
import {listedPaths, paidOf, paidPaths} from './catalogue.ts';
import {failed, passed, checksFromError, unchecked, verdict, type Check} from './check.ts';
import type {Examiner} from './examiner.ts';
import {RULES_SUBJECT} from './rule-checks.ts';
import {MAX_BYTES, MAX_SITE_BYTES} from './bounds.ts';
import type {Read, SiteReader} from './site-reader.ts';

/**
 * Opens a site in a folder: `public/` itself, or its parent. The rules are read from the folder next to `public/`. Throws `InputError` if
 * there is no catalogue.
 */
export async function openFolder(folder: string, examiner: Examiner, until: AbortSignal): Promise<SiteReader> {
  const refusal = (rule: string, fix?: string) => ({code: 'FZ617', file: folder, rule, fix}) as const;
  const stats = await stat(folder).catch((cause: unknown) => {
    const {code = ''} = cause as NodeJS.ErrnoException;
    throw new InputError(refusal(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`), {cause});
  });
  if (stats.isFile())
    throw new InputError(
      refusal('is a file, not the folder of a site', 'Use `frozen verify document` to check a document.'),
    );
  const candidates = [resolve(folder, 'public'), resolve(folder)];
  const found = await Promise.all(candidates.map(candidate => isFile(join(candidate, paths.catalogue))));
  const tree = candidates.find((_candidate, at) => found[at]);
  if (tree === undefined)
    throw new InputError(
      refusal(
        `is not a site of this kind: it does not contain public${paths.catalogue}`,
        'Name the folder of a site, or run `frozen build` in it first.',
      ),
    );
  const root = await realpath(tree);
  return {
    name: folder,
    place: {file: folder},
    isGated: false,
    read: (path, _type, maxBytes) => readFrom(root, path, maxBytes),
    paid: () => Promise.resolve([]),
    absent: async path =>
      (await isFile(join(root, path)))
        ? failed('left out', path, 'exists, but this host sells nothing')
        : passed('left out', path, 'does not exist, because this host sells nothing'),
    whole: async catalogue => [
      ...(await unlistedFileChecks(root, catalogue, until)),
      ...(await textIfThere(root + REDIRECTS, MAX_BYTES)
        .then(text => (text === undefined ? [] : redirectChecks(text, catalogue)))
        .catch((error: unknown) => checksFromError('redirects', REDIRECTS, error))),
      ...(await ruleChecks(examiner, resolve(root, '..', RULES_FILE), catalogue).catch((error: unknown) =>
        checksFromError('rules', RULES_SUBJECT, error),
      )),
    ],
    [Symbol.dispose]: () => undefined,
  };
}

async function ruleChecks(examiner: Examiner, file: string, catalogue: Catalogue): Promise<Check[]> {
  const text = await textIfThere(file, MAX_SITE_BYTES);
  if (text === undefined) return [unchecked('rules', RULES_SUBJECT, 'there is no such file next to this folder')];
  return [...(await examiner.examine({type: 'rules', subject: RULES_SUBJECT, text, catalogue})).checks];
}

async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    stats => stats.isFile(),
    () => false,
  );
}

/** Reads a regular file. Refuses links, because they could lead out of the folder. */
async function readFrom(root: string, path: string, maxBytes: number): Promise<Read> {
  try {
    const stats = await lstat(join(root, path));
    if (!stats.isFile() || (await realpath(join(root, path))) !== join(root, path))
      return {checks: [failed('file', path, 'is not a regular file, or is reached through a link')]};
    return {bytes: await readBounded(join(root, path), maxBytes), checks: []};
  } catch (error) {
    if (error instanceof InputError) return {checks: checksFromError('file', path, error)};
    const {code = 'unknown'} = error as NodeJS.ErrnoException;
    return {checks: [failed('file', path, code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`)]};
  }
}

/** Finds unlisted files: forgotten paid documents below `/api/v1/`, copies of paid documents anywhere, links. */
async function unlistedFileChecks(root: string, catalogue: Catalogue, until: AbortSignal): Promise<Check[]> {
  const files = await glob('**', {cwd: root, dot: true, onlyFiles: false, followSymbolicLinks: false, stats: true});
  const documents = catalogue.products.flatMap(paidOf);
  const paid = new Set(documents.map(({path}) => path));
  const sizes = new Set(documents.map(({listed}) => listed.bytes));
  const sold = new Map(documents.map(({path, listed}) => [listed.sha256, path]));
  const listed = new Set([paths.catalogue, ...(catalogue.signing ? [paths.signature] : []), ...listedPaths(catalogue)]);
  const faults: string[] = [];
  for (const file of files.filter(({dirent}) => !dirent.isDirectory())) {
    const path = `/${file.path}`;
    if (!file.dirent.isFile()) faults.push(`${path} is a link or not a regular file`);
    else if (path.startsWith('/api/v1/') && !listed.has(path))
      faults.push(`${path} is below /api/v1/ but not in the catalogue: delete it, or build the site again`);
    else if (!paid.has(path) && sizes.has(file.stats?.size ?? 0)) faults.push(...(await copyFaults(root, path, sold)));
    if (until.aborted) return verdict('strays', 'public/', [...faults, 'the time for all checks is over'], '');
  }
  return verdict('strays', 'public/', faults, 'no unlisted file, no copy of a paid document');
}

/** @param sold the paid documents by their digests */
async function copyFaults(root: string, path: string, sold: ReadonlyMap<string, string>): Promise<string[]> {
  const {bytes, checks} = await readFrom(root, path, MAX_BYTES);
  if (!bytes) return checks.map(({detail}) => `${path} ${detail}`);
  const copied = sold.get(sha256(bytes));
  return copied === undefined ? [] : [`${path} is a free copy of the paid document ${copied}`];
}

/** Workers and Pages apply this file, and do not serve it. */
const REDIRECTS = '/_redirects';

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
