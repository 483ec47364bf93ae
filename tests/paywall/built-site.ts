import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {build} from '../../build/build.ts';
import {CATALOGUE_FILE, paths, PUBLIC} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {PROJECT} from '../project.ts';

/** The result of a build. */
export interface Generation {
  readonly catalogue: Catalogue;
  /** Texts by path below `public/`. */
  readonly files: ReadonlyMap<string, string>;
}

/** A copy of the example site that a test changes and builds again. */
export interface BuiltSite {
  readonly root: string;
  /** Changes a JSON file in `data/`. */
  edit(file: string, change: (value: Record<string, unknown>) => void): Promise<void>;
  build(): Promise<Generation>;
  remove(): Promise<void>;
}

/**
 * Copies the example site without its queries, because their builds take seconds. The rules name the facilitator. The
 * copy is not built yet.
 */
export async function builtSite(facilitatorUrl: string): Promise<BuiltSite> {
  const root = await mkdtemp(join(tmpdir(), 'built-site-'));
  const data = join(root, 'data');
  await cp(join(PROJECT, 'tests/example/data'), data, {recursive: true});
  for (const query of ['class-flips', 'dead-share']) await rm(join(data, `products/${query}.json`));
  const site: BuiltSite = {
    root,
    async edit(file, change) {
      const value = JSON.parse(await readFile(join(data, file), 'utf8')) as Record<string, unknown>;
      change(value);
      await writeFile(join(data, file), JSON.stringify(value));
    },
    async build() {
      await build({root});
      return generationIn(root);
    },
    remove: () => rm(root, {recursive: true, force: true}),
  };
  await site.edit('site.json', value => Object.assign(value['payment'] as object, {facilitator_url: facilitatorUrl}));
  return site;
}

/** Reads the files below the root after a build. */
export async function generationIn(root: string): Promise<Generation> {
  const catalogue = JSON.parse(await readFile(join(root, CATALOGUE_FILE), 'utf8')) as Catalogue;
  const names = [
    ...catalogue.files.map(({path}) => path),
    ...catalogue.products.flatMap(({name}) => [paths.paid(name), paths.sample(name), paths.paidSchema(name)]),
    paths.catalogue,
  ];
  const texts = names.map(async path => [path, await readFile(join(root, PUBLIC, path), 'utf8')] as const);
  return {catalogue, files: new Map(await Promise.all(texts))};
}
