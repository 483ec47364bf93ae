import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {mkdtemp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {$} from 'zx';
import {tarballName} from '../../scripts/package/release.ts';
import {PROJECT} from '../project.ts';
import {runIn} from '../scripts/script-run.ts';

export const SELLER = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';

let packed: Promise<string> | undefined;

/** Returns a new site with this tool as a tarball, and a lock file. All tests of a process share it, so they work in copies. */
export function packedSite(): Promise<string> {
  return (packed ??= make());
}

async function make(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  process.once('exit', () => {
    rmSync(folder, {recursive: true, force: true});
  });
  await $({quiet: true})`npm pack ${PROJECT} --ignore-scripts --pack-destination ${folder}`;
  const {code, err} = await runIn(folder, ['init', 'site', '--pay-to', SELLER, '--tool', tarballName]);
  assert.equal(code, 0, err);
  const site = join(folder, 'site');
  // The tarball belongs to the site, as long as the tool is not on npm.
  await $({cwd: site, quiet: true})`mv ../${tarballName} .`;
  await $({cwd: site, quiet: true})`sed -i s#file:../#file:# package.json`;
  await $({cwd: site, quiet: true})`npm install --package-lock-only`;
  return site;
}
