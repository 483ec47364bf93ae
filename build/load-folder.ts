import {readdir} from 'node:fs/promises';

// To add a kind, host or page, add a file to its folder. The paths are written out so that a bundler finds the modules.
const IMPORTS = {
  kinds: (name: string): Promise<unknown> => import(`./kinds/${name}.ts`),
  hosts: (name: string): Promise<unknown> => import(`./hosts/${name}.ts`),
  pages: (name: string): Promise<unknown> => import(`./pages/${name}.ts`),
};

type Folder = keyof typeof IMPORTS;

/** Returns the names of the modules in a folder, sorted. */
export async function namesIn(folder: Folder): Promise<string[]> {
  const files = await readdir(new URL(`${folder}/`, import.meta.url));
  const modules = files.filter(file => file.endsWith('.ts') && file !== `${folder.slice(0, -1)}.ts`);
  return modules.map(file => file.slice(0, -'.ts'.length)).sort();
}

/** Returns the default exports of the modules in a folder by module name, sorted. */
export async function loadFolder<T>(folder: Folder): Promise<ReadonlyMap<string, T>> {
  const names = await namesIn(folder);
  const modules = (await Promise.all(names.map(IMPORTS[folder]))) as {default: T}[];
  return new Map(modules.map((module, index) => [names[index] ?? '', module.default]));
}
