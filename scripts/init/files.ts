import {readFile, mkdtemp, rm} from 'node:fs/promises';
import {join, isAbsolute, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import glob from 'fast-glob';
import tool from '../../package.json' with {type: 'json'};
import {encode} from '../../shared/encode.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import {tarballName, isPublished} from '../package/release.ts';
import {packageNameOf, siteOf, type Answers} from './answers.ts';
import {existsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {complaintIn, findCommand, programEnv} from '../programs/command.ts';

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

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** The tool as a dependency of a new site. */
interface ToolDependency {
  /** The version or path in `package.json`. */
  readonly spec: string;
  /** The tarball that `spec` names, if it is part of the site. */
  readonly tarball?: Buffer;
}

/**
 * Converts the value of `--tool` to an npm spec; a path becomes relative to the site. Throws `InputError` if the file or folder does not
 * exist.
 */
export function specFrom(folder: string, given: string): string {
  const path = given.replace(/^file:/, '');
  if (path !== '' && existsSync(path)) return `file:${relative(folder, resolve(path)).replaceAll('\\', '/')}`;
  const isPath = path !== given || /^\.{0,2}[\\/]/.test(path) || isAbsolute(path) || /^[^:]+\.tgz$/.test(path);
  if (isPath || path === '')
    throw wrongUsage({code: 'FZ902', field: '--tool', value: given, rule: 'is not an existing file or folder'});
  return given;
}

/**
 * Returns the running tool as a dependency: its version, or a tarball as long as it is not on npm. The tarball is stored in the site, so
 * that the site installs on any machine.
 */
export async function runningTool(): Promise<ToolDependency> {
  return isPublished ? {spec: tool.version} : {spec: `file:${tarballName}`, tarball: await packTool()};
}

async function packTool(): Promise<Buffer> {
  const npm = await findCommand('npm', 'Install it with Node.js from https://nodejs.org.', programEnv('NODE_OPTIONS'));
  const folder = await mkdtemp(join(tmpdir(), 'frozen-tool-'));
  try {
    const packed = await npm(['pack', '--ignore-scripts', '--pack-destination', folder], {cwd: PACKAGE});
    if (!packed.ok) throw new InputError({code: 'FZ405', subject: 'npm pack', rule: `failed: ${complaintIn(packed)}`});
    return await readFile(join(folder, tarballName));
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
