import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';

// Adding a kind, a host or a page is adding a file to a folder beside this one. Whoever compiles this sees which modules may be asked for.
const IMPORTS = {
  kinds: (name: string): Promise<unknown> => import(`./kinds/${name}.ts`),
  hosts: (name: string): Promise<unknown> => import(`./hosts/${name}.ts`),
  pages: (name: string): Promise<unknown> => import(`./pages/${name}.ts`),
};

type Folder = keyof typeof IMPORTS;

/** The names of the modules in a folder, in order. Their type is declared in `kinds/kind.ts`, `hosts/host.ts` and `pages/page.ts`. */
export async function namesIn(folder: Folder): Promise<string[]> {
  const cwd = fileURLToPath(new URL(`${folder}/`, import.meta.url));
  const files = await glob('*.ts', {cwd, ignore: [`${folder.slice(0, -1)}.ts`]});
  return files.map(file => file.slice(0, -'.ts'.length)).sort();
}

/** The default exports of the modules in a folder, by name, in order. The caller names their type. */
export async function loadFolder<T>(folder: Folder): Promise<ReadonlyMap<string, T>> {
  const names = await namesIn(folder);
  const modules = (await Promise.all(names.map(IMPORTS[folder]))) as {default: T}[];
  return new Map(modules.map((module, index) => [names[index] ?? '', module.default]));
}
