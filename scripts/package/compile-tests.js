import {appendFile, mkdir, rm} from 'node:fs/promises';
import {basename, join, relative} from 'node:path';
import * as esbuild from 'esbuild';
import glob from 'fast-glob';
import {DIST, PROJECT, STARTED} from './entries.js';
import {keepAddresses} from './keep-addresses.js';
import {quickRecovery} from './quick-recovery.js';

// Compiles the test files that match into dist/tests/, which takes a quarter of the time of compiling them while they run. They share
// chunks, and a dynamic import is a chunk that loads when it is needed. The simulator gets files without chunks, because a dynamic import
// would wait for the real event loop while time is virtual.
//
// Tests of several files share a process, because each process loads the code and optimises it again. That saves a third of the time. A
// file in dist/tests/grouped/ imports the tests of a group. Node runs these files in the order of their names. The files in
// dist/tests/portable/ import only fast tests that start no other program, which run on every system and version of Node.

/**
 * Names of tests that share a process, by the name of the group, in the order in which the groups start: the longest first. Every other file
 * gets a process of its own.
 * @type {Readonly<Record<string, RegExp>>}
 */
const GROUPS = {
  seeds: /^simulator-seeds/,
  docs: /^docs-/,
  package: /^package-(package|release)\.slow/,
  versions: /^package-versions/,
  init: /^scripts-init\.slow/,
  worlds: /^simulator-first-worlds/,
  gate: /^paywall-.*test\.js$/,
  build: /^build-.*test\.js$/,
  others: /^(?!buy-|ledger-|mcp-|sales-|settler-).*test\.js$/,
  money: /test\.js$/,
  'slow-chromium': /^(checkout-|pages-(browser|dev|escaping))/,
  'slow-build': /^build-[a-l]/,
  'slow-build-more': /^build-(?!query-[rs])/,
  'slow-freeze': /^scripts-freeze/,
  'slow-paywall': /^paywall-[a-l]/,
  'slow-paywall-more': /^paywall-/,
  'slow-review': /^scripts-(review|verify)/,
  'slow-settler': /^(settler|sales)-/,
  'slow-buy': /^(buy|chain)-/,
  'slow-signing': /^(signing|mcp)-/,
  'slow-ledger': /^(ledger|witness|contracts|simulator)-/,
  'slow-scripts': /^scripts-(?!d)/,
  'slow-deploy': /^scripts-d/,
  'slow-hosts': /^hosts-/,
  'slow-pages': /^(any-list|pages-(?!large))/,
  'slow-hostile': /^hostile-(?!forged|fuzz|gate|queries)/,
};

const outdir = join(DIST, 'tests');
const files = await glob(process.argv.slice(2), {cwd: join(PROJECT, 'tests')});
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
/** @type {string[]} */
const portable = [];
for (const isSimulator of [false, true]) {
  const {outputs, inputs} = await compiled(
    files.filter(file => file.startsWith('simulator/') === isSimulator),
    !isSimulator,
  );
  for (const output of Object.keys(outputs).filter(path => path.endsWith('.test.js')))
    if (![...inputsOf(output, outputs)].some(input => startsPrograms(input, inputs))) portable.push(basename(output));
}
await writeGroups('grouped', await glob('*.{test,slow}.js', {cwd: outdir}));
await writeGroups('portable', portable);

/** @param {string} name @param {string[]} tests */
async function writeGroups(name, tests) {
  const folder = join(outdir, name);
  await mkdir(folder);
  for (const test of tests.sort()) {
    const groups = Object.entries(GROUPS);
    const at = groups.findIndex(([, names]) => names.test(test));
    const group = groups[at]?.[0] ?? test.replace('.js', '');
    const order = String(at < 0 ? groups.length : at).padStart(2, '0');
    await appendFile(join(folder, `${order}-${group}.js`), `import '../${test}';\n`);
  }
}

/** @param {string[]} files @param {boolean} splitting */
async function compiled(files, splitting) {
  const {metafile} = await esbuild.build({
    absWorkingDir: PROJECT,
    entryPoints: Object.fromEntries(
      files.map(file => [file.replace(/\.ts$/, '').replaceAll('/', '-'), `tests/${file}`]),
    ),
    outdir,
    bundle: true,
    splitting,
    metafile: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [keepAddresses(outdir, STARTED), keepExtra, ...(splitting ? [] : [quickRecovery])],
    logLevel: 'warning',
  });
  return metafile;
}

/**
 * Returns the sources of a compiled file and of all chunks that it imports.
 * @param {string} output
 * @param {esbuild.Metafile['outputs']} outputs
 * @returns {Set<string>}
 */
function inputsOf(output, outputs, found = new Set(), seen = new Set([output])) {
  for (const input of Object.keys(outputs[output]?.inputs ?? {})) found.add(input);
  for (const {path, external} of outputs[output]?.imports ?? [])
    if (!external && !seen.has(path)) inputsOf(path, outputs, found, seen.add(path));
  return found;
}

/** @param {string} input @param {esbuild.Metafile['inputs']} inputs */
function startsPrograms(input, inputs) {
  return (
    input.startsWith('tests/') &&
    inputs[input]?.imports.some(({path}) => /^(node:child_process|zx)$/.test(path)) === true
  );
}
