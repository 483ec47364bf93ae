import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';

/** Returns all files below a folder, with their bytes as Latin-1 text, sorted by path. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const paths = (await glob('**', {cwd: folder, dot: true})).sort();
  const entries = await Promise.all(
    paths.map(async path => [path, await readFile(join(folder, path), 'latin1')] as const),
  );
  return Object.fromEntries(entries);
}

/** A document in the catalogue. */
export interface Named {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Returns every document in a catalogue, with size and digest. */
export function namedIn(catalogue: unknown): Named[] {
  const {
    base_url: base,
    products,
    files,
  } = catalogue as {base_url: string; products: Record<string, object>[]; files: Named[]};
  const entries = products.flatMap(
    ({sample, paid, history, schemas}) =>
      [sample, paid, history, ...(Object.values(schemas ?? {}) as unknown[])] as (Named & {url: string})[],
  );
  return [...entries.map(entry => ({...entry, path: entry.url.slice(base.length)})), ...files];
}

/** Reads the output of a build below a root. */
export async function readOutput(root: string): Promise<Record<string, string>> {
  const [pages, rules] = await Promise.all([readTree(join(root, 'public')), readTree(join(root, 'paywall/rules'))]);
  return {...prefixed('public', pages), ...prefixed('paywall/rules', rules)};
}

function prefixed(prefix: string, tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).map(([path, bytes]) => [`${prefix}/${path}`, bytes]));
}

/** Reads a JSON document below a folder. */
export async function readJson(folder: string, path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, path), 'utf8')) as Record<string, unknown>;
}
