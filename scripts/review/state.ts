import {LFS_START} from '../../build/disk/plain-file.ts';
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import glob from 'fast-glob';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {InputError} from '../../shared/fault.ts';
import {fieldName} from '../../shared/json-text.ts';
import {CATALOGUE_FILE, RULES_FILE} from '../../shared/paths.ts';
import {shaped} from '../../shared/shaped.ts';
import {rulesSchema, type Catalogue, type Rules} from '../../shared/shapes.ts';
import {readCatalogue} from '../../buyer/verify/catalogue.ts';
import {readUntrusted} from '../../buyer/verify/untrusted-json.ts';

/** The generated files of a site in a revision or in the working tree. */
export interface State {
  /** The name for messages, such as `HEAD (1a2b3c4)`. */
  readonly name: string;
  /** Follows the path in messages: `in HEAD (1a2b3c4) `; empty for files on disk. */
  readonly place: string;
  /** The git object ids of all files in `public/` and `paywall/rules/`, by path relative to the root. */
  readonly ids: ReadonlyMap<string, string>;
  /** Returns the bytes of such a file. Throws `InputError` if it is too large or cannot be read. */
  read(path: string): Promise<Buffer>;
}

/** The folders with generated files. */
export const GENERATED = ['public', 'paywall/rules'] as const;

/** Reads a file of a revision with a parser. Throws `InputError` if it is missing, too large or invalid. */
export async function readJson<T>(state: State, path: string, read: (file: string, bytes: Buffer) => T): Promise<T> {
  const {ids, place} = state;
  if (!ids.has(path)) throw new InputError({code: 'FZ404', file: path, rule: `${place}does not exist`});
  const bytes = await state.read(path);
  if (bytes.subarray(0, LFS_START.length).equals(LFS_START)) {
    const rule = `${place}is a Git LFS pointer: its content is not in the repository`;
    const fix = 'Exclude public/ and paywall/ from Git LFS in .gitattributes, and commit them again.';
    throw new InputError({code: 'FZ407', file: path, rule, fix});
  }
  try {
    return read(path, bytes);
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    const faults = cause.faults.map(fault => ({...fault, rule: place + fault.rule}));
    throw new InputError(faults, {cause});
  }
}

/** Returns the state of the files on disk, committed or not. */
export async function workingTreeState(root: string): Promise<State> {
  const patterns = GENERATED.map(folder => `${folder}/**`);
  const paths = (await glob(patterns, {cwd: root, dot: true, followSymbolicLinks: false})).sort();
  const names = namesOf(root, paths);
  return {
    name: 'the working tree',
    place: '',
    ids: new Map(paths.map((path, index) => [path, names[index] ?? ''])),
    read: path => readBounded(join(root, path), MAX_SITE_BYTES),
  };
}

/** Returns the git object ids of files, to compare them with a commit without reading the commit. */
function namesOf(root: string, paths: readonly string[]): string[] {
  const {status, stdout, stderr} = spawnSync('git', ['hash-object', '--no-filters', '--stdin-paths'], {
    cwd: root,
    // Absolute paths, because git resolves others from the top of the repository. Quoted as C strings.
    input: paths.map(path => `${JSON.stringify(join(root, path))}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  if (status !== 0) {
    const rule = `cannot be reviewed: git says "${stderr.split('\n')[0] ?? ''}"`;
    throw new InputError({code: 'FZ407', file: root, rule});
  }
  return stdout.split('\n').slice(0, -1);
}

/** A revision with its catalogue and rules. */
export interface ComparedSite {
  readonly state: State;
  readonly catalogue: Pick<Catalogue, 'title' | 'base_url' | 'signing' | 'products' | 'files' | 'sources'>;
  /** Undefined if nothing is built yet, and for a live site, which does not publish them. */
  readonly rules: Rules | undefined;
}

/** The two revisions to compare. */
export interface Sites {
  readonly before: ComparedSite;
  readonly after: ComparedSite;
  /** True if paid documents are not compared, because a revision does not contain them. */
  readonly withheld: boolean;
}

/** Reads catalogue and rules. A revision before the first build has neither and sells nothing. Throws `InputError` if a file is invalid. */
export async function readSite(state: State): Promise<ComparedSite> {
  if (!state.ids.has(CATALOGUE_FILE) && !state.ids.has(RULES_FILE))
    return {state, catalogue: {title: '', base_url: '', products: [], files: []}, rules: undefined};
  const catalogue = await readJson(state, CATALOGUE_FILE, readCatalogue);
  return {state, catalogue, rules: await readJson(state, RULES_FILE, readRules)};
}

function readRules(file: string, bytes: Uint8Array): Rules {
  const read = shaped(rulesSchema, readUntrusted(file, bytes));
  if ('value' in read) return read.value;
  throw new InputError(read.misfits.map(({path, rule}) => ({code: 'FZ404', file, field: fieldName(path), rule})));
}
