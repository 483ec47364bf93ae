import {existsSync} from 'node:fs';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {isAbsolute, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import tool from '../../package.json' with {type: 'json'};
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {isPublished, tarballName} from '../package/release.ts';
import {complaintIn, findCommand, programEnv} from '../programs/command.ts';

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

/** The tool as a dependency of a new site. */
export interface ToolDependency {
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
    if (!packed.ok) throw new InputError({code: 'FZ405', subject: 'npm pack', rule: complaintIn(packed)});
    return await readFile(join(folder, tarballName));
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
