import {rm} from 'node:fs/promises';
import {join, relative} from 'node:path';
import * as esbuild from 'esbuild';
import glob from 'fast-glob';
import {DIST, PROJECT, STARTED} from './entries.js';
import {keepAddresses} from './keep-addresses.js';

// Compiles the test files that match, each into one file of dist/tests/. Compiling them while they run takes a quarter of the time of all
// of them. With --portable, only tests that start no other program remain, which run on every system.

const [isPortable, patterns] = [
  process.argv[2] === '--portable',
  process.argv.slice(2).filter(word => word !== '--portable'),
];
const outdir = join(DIST, 'tests');
const files = await glob(patterns, {cwd: join(PROJECT, 'tests')});
await rm(outdir, {recursive: true, force: true});
/**
 * Does not bundle tests/extra/*.js, because Node looks for their packages in that folder.
 * @type {esbuild.Plugin}
 */
const keepExtra = {
  name: 'packages of tests/extra',
  setup(build) {
    build.onResolve({filter: /\/extra\/[\w-]+\.js$/}, ({path, resolveDir}) => {
      const file = relative(outdir, join(resolveDir, path)).replaceAll('\\', '/');
      return {path: file, external: true};
    });
  },
};
const {metafile} = await esbuild.build({
  absWorkingDir: PROJECT,
  entryPoints: Object.fromEntries(files.map(file => [file.replace(/\.ts$/, '').replaceAll('/', '-'), `tests/${file}`])),
  outdir,
  bundle: true,
  metafile: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [keepAddresses(outdir, STARTED), keepExtra],
  logLevel: 'warning',
});

if (isPortable)
  for (const [output, {inputs}] of Object.entries(metafile.outputs))
    if (Object.keys(inputs).some(startsPrograms)) await rm(join(PROJECT, output));

/** @param {string} input */
function startsPrograms(input) {
  return (
    input.startsWith('tests/') &&
    metafile.inputs[input]?.imports.some(({path}) => /^(node:child_process|zx)$/.test(path)) === true
  );
}
