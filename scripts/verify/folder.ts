import {lstat, realpath} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import glob, {type Entry as File} from 'fast-glob';
import {paths, RULES_FILE} from '../../shared/paths.ts';
import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import type {Catalogue, Listed} from '../../shared/shapes.ts';
import {readBounded, textIfThere} from './bounded-file.ts';
import {documentsOf} from './catalogue.ts';
import {failed, passed, thrown, unchecked, verdict, type Check} from './check.ts';
import type {Examiner} from './examiner.ts';
import {redirectFileChecks} from './redirect-checks.ts';
import {REDIRECTS} from './redirects.ts';
import {payeeChecks} from './payee-checks.ts';
import {RULES_SUBJECT} from './rule-checks.ts';
import {MAX_BYTES, MAX_SITE_BYTES} from './bounds.ts';
import type {Read, Shelf} from './shelf.ts';

/**
 * A site in a folder: `public/` itself, or the folder that holds it. The rules are looked for beside `public/`. Throws `InputError`
 * where there is no catalogue.
 */
export async function openFolder(folder: string, examiner: Examiner, until: AbortSignal): Promise<Shelf> {
  const candidates = [resolve(folder, 'public'), resolve(folder)];
  const found = await Promise.all(candidates.map(candidate => isFile(join(candidate, paths.catalogue))));
  const tree = candidates.find((_candidate, at) => found[at]);
  if (tree === undefined)
    throw new InputError({file: folder, rule: `is not a site of this kind: it holds no public${paths.catalogue}`});
  const root = await realpath(tree);
  return {
    name: folder,
    sells: false,
    read: (path, _type, maxBytes) => readFrom(root, path, maxBytes),
    paid: () => Promise.resolve([]),
    absent: path => absentFrom(root, path),
    whole: async catalogue => [
      ...(await strayChecks(root, catalogue, until)),
      ...(await orFailed('redirects', REDIRECTS, async () =>
        redirectFileChecks(await textIfThere(root + REDIRECTS, MAX_BYTES), catalogue),
      )),
      ...(await payeeChecks(catalogue)),
      ...(await orFailed('rules', RULES_SUBJECT, () =>
        ruleChecks(examiner, resolve(root, '..', RULES_FILE), catalogue),
      )),
    ],
    [Symbol.dispose]: () => undefined,
  };
}

async function ruleChecks(examiner: Examiner, file: string, catalogue: Catalogue): Promise<Check[]> {
  const text = await textIfThere(file, MAX_SITE_BYTES);
  if (text === undefined) return [unchecked('rules', RULES_SUBJECT, 'there are none beside this folder')];
  return [...(await examiner.examine({type: 'rules', subject: RULES_SUBJECT, text, catalogue})).checks];
}

/** Checks, or the failed ones that stand for a file that cannot be read; the others are made all the same. */
async function orFailed(what: string, subject: string, make: () => Promise<Check[]>): Promise<Check[]> {
  return make().catch((error: unknown) => thrown(what, subject, error));
}

async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    stats => stats.isFile(),
    () => false,
  );
}

/** Reads a plain file; a link on the way could lead out of the folder. */
async function readFrom(root: string, path: string, maxBytes: number): Promise<Read> {
  try {
    const stats = await lstat(join(root, path));
    if (!stats.isFile() || (await realpath(join(root, path))) !== join(root, path))
      return {checks: [failed('file', path, 'is no plain file, or behind a link')]};
    return {bytes: await readBounded(join(root, path), maxBytes), checks: []};
  } catch (error) {
    if (error instanceof InputError) return {checks: thrown('file', path, error)};
    return {checks: [failed('file', path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`)]};
  }
}

async function absentFrom(root: string, path: string): Promise<Check> {
  return (await isFile(join(root, path)))
    ? failed('left out', path, 'is there, and this host sells nothing')
    : passed('left out', path, 'is not there: this host sells nothing');
}

/** Files that nobody lists: forgotten paid documents below `/api/v1/`, copies of paid documents anywhere, links. */
async function strayChecks(root: string, catalogue: Catalogue, until: AbortSignal): Promise<Check[]> {
  const files = await glob('**', {cwd: root, dot: true, onlyFiles: false, followSymbolicLinks: false, stats: true});
  const paid = catalogue.products.map(({name, paid}) => ({path: paths.paid(name), listed: paid}));
  const bySize = new Map<number, Paid[]>(paid.map(({listed}) => [listed.bytes, []]));
  for (const one of paid) bySize.get(one.listed.bytes)?.push(one);
  const sold = new Set(paid.map(({path}) => path));
  const listed = new Set<string>([
    paths.catalogue,
    ...catalogue.products.flatMap(entry => documentsOf(entry).map(({path}) => path)),
    ...catalogue.files.map(({path}) => path),
  ]);
  const faults: string[] = [];
  for (const file of files.filter(({dirent}) => !dirent.isDirectory())) {
    const path = `/${file.path}`;
    if (!file.dirent.isFile()) faults.push(`${path} is a link or no plain file`);
    else if (path.startsWith('/api/v1/') && !listed.has(path))
      faults.push(`${path} is below /api/v1/ and nobody lists it: delete it, or build the site that has it`);
    else if (!sold.has(path)) faults.push(...(await copyFaults(root, file, bySize.get(file.stats?.size ?? 0) ?? [])));
    if (until.aborted) return verdict('strays', 'public/', [...faults, 'the time for all checks is over'], '');
  }
  return verdict('strays', 'public/', faults, 'no file that nobody lists, no copy of a paid document');
}

interface Paid {
  readonly path: string;
  readonly listed: Listed;
}

/** @param alike the paid documents of the same size */
async function copyFaults(root: string, {path}: File, alike: readonly Paid[]): Promise<string[]> {
  if (alike.length === 0) return [];
  const {bytes, checks} = await readFrom(root, `/${path}`, MAX_BYTES);
  if (!bytes) return checks.map(({detail}) => `/${path} ${detail}`);
  const digest = sha256(bytes);
  return alike
    .filter(({listed}) => listed.sha256 === digest)
    .map(paid => `/${path} is a copy of the paid ${paid.path}, for nothing`);
}
