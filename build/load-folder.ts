import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';

/**
 * The default exports of the modules in a folder beside this file, by file name, in order. Kinds, hosts and pages are found this way:
 * adding one is adding a file. The caller names their type; files named in `except` are no such modules.
 */
export async function loadFolder<T>(folder: string, except: readonly string[] = []): Promise<ReadonlyMap<string, T>> {
  const cwd = fileURLToPath(new URL(`${folder}/`, import.meta.url));
  const files = (await glob('*.ts', {cwd, ignore: [...except]})).sort();
  const modules = await Promise.all(files.map(file => import(`./${folder}/${file}`) as Promise<{default: T}>));
  return new Map(modules.map((module, index) => [files[index]?.slice(0, -'.ts'.length) ?? '', module.default]));
}
