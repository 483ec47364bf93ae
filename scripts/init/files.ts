import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';
import tool from '../../package.json' with {type: 'json'};
import {encode} from '../../shared/encode.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import {tarballName} from '../package/release.ts';
import {packageNameOf, siteOf, type Answers} from './answers.ts';
import type {ToolDependency} from './tool.ts';

const TEMPLATE = fileURLToPath(new URL('template/', import.meta.url));
const SCRIPTS = ['build', 'freeze', 'review', 'verify', 'deploy', 'start', 'dev', 'demo'];

/** Returns the files of a new site by path: the template, and the files that depend on the folder and the answers. */
export async function filesOf(
  folder: string,
  answers: Answers,
  {spec, tarball}: ToolDependency,
): Promise<ReadonlyMap<string, string | Buffer>> {
  const paths = (await glob('**', {cwd: TEMPLATE})).sort();
  const copied = paths.map(async path => {
    // npm omits .gitignore from packages, so names in the template start without the dot.
    return [path.replace(/^git/, '.git'), await readFile(join(TEMPLATE, path))] as const;
  });
  return new Map<string, string | Buffer>([
    ['package.json', encode(packageOf(folder, spec))],
    [SITE_FILE, encode(siteOf(answers))],
    ...(await Promise.all(copied)),
    ...(tarball === undefined ? [] : [[tarballName, tarball] as const]),
  ]);
}

/**
 * Returns the `package.json` of a new site.
 *
 * @param spec the tool as a dependency
 */
export function packageOf(folder: string, spec: string) {
  return {
    name: packageNameOf(folder),
    private: true,
    type: 'module',
    engines: tool.engines,
    scripts: {...Object.fromEntries(SCRIPTS.map(name => [name, `frozen ${name}`])), verify: 'frozen verify site'},
    devDependencies: {[tool.name]: spec},
  };
}
