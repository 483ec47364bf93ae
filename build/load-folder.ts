import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';

/** A folder beside this file. Adding a kind, a host or a page is adding a file. */
type Folder = 'kinds' | 'hosts' | 'pages';

/** Files that are no such modules. */
const OTHERS: Readonly<Record<Folder, readonly string[]>> = {
  kinds: ['kind.ts'],
  hosts: ['host.ts'],
  pages: ['page.ts'],
};

/** Whoever compiles this sees which modules may be asked for. */
const IMPORTS: Readonly<Record<Folder, (name: string) => Promise<unknown>>> = {
  kinds: name => import(`./kinds/${name}.ts`),
  hosts: name => import(`./hosts/${name}.ts`),
  pages: name => import(`./pages/${name}.ts`),
};

/** The names of the modules in a folder, in order. */
export async function namesIn(folder: Folder): Promise<string[]> {
  const cwd = fileURLToPath(new URL(`${folder}/`, import.meta.url));
  const files = await glob('*.ts', {cwd, ignore: [...OTHERS[folder]]});
  return files.map(file => file.slice(0, -'.ts'.length)).sort();
}

/** The default exports of the modules in a folder, by name, in order. The caller names their type. */
export async function loadFolder<T>(folder: Folder): Promise<ReadonlyMap<string, T>> {
  const names = await namesIn(folder);
  const modules = (await Promise.all(names.map(IMPORTS[folder]))) as {default: T}[];
  return new Map(modules.map((module, index) => [names[index] ?? '', module.default]));
}
