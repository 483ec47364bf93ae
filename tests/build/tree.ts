import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';

/** All files below a folder: bytes as latin-1 text by path, sorted. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const paths = (await glob('**', {cwd: folder, dot: true})).sort();
  const entries = await Promise.all(
    paths.map(async path => [path, await readFile(join(folder, path), 'latin1')] as const),
  );
  return Object.fromEntries(entries);
}

/** A document that the catalogue names. */
export interface Named {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Every document that a catalogue names, with size and digest. */
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

/** What a build wrote below a root. */
export async function readOutput(root: string): Promise<Record<string, string>> {
  const [pages, rules] = await Promise.all([readTree(join(root, 'public')), readTree(join(root, 'paywall/rules'))]);
  return {...prefixed('public', pages), ...prefixed('paywall/rules', rules)};
}

function prefixed(prefix: string, tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).map(([path, bytes]) => [`${prefix}/${path}`, bytes]));
}

/** A JSON document below a folder. */
export async function readJson(folder: string, path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, path), 'utf8')) as Record<string, unknown>;
}
