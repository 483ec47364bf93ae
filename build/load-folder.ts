import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';

/** The names of the modules in a folder beside this file, in order; files named in `except` are no such modules. */
export async function namesIn(folder: string, except: readonly string[] = []): Promise<string[]> {
  const cwd = fileURLToPath(new URL(`${folder}/`, import.meta.url));
  const files = await glob('*.ts', {cwd, ignore: [...except]});
  return files.map(file => file.slice(0, -'.ts'.length)).sort();
}

/**
 * The default exports of the modules in a folder beside this file, by name, in order. Kinds, hosts and pages are found this way:
 * adding one is adding a file. The caller names their type; files named in `except` are no such modules.
 */
export async function loadFolder<T>(folder: string, except: readonly string[] = []): Promise<ReadonlyMap<string, T>> {
  const names = await namesIn(folder, except);
  const modules = await Promise.all(names.map(name => import(`./${folder}/${name}.ts`) as Promise<{default: T}>));
  return new Map(modules.map((module, index) => [names[index] ?? '', module.default]));
}
