import {readFileSync} from 'node:fs';
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {dirname, join, relative, resolve} from 'node:path';
import {createHash} from 'node:crypto';
import {builtinModules} from 'node:module';
import * as esbuild from 'esbuild';
import glob from 'fast-glob';
import {offerPage} from './offer-page.js';

// Compiles the command, what it starts in processes and threads of its own, and what programs import, into dist/. Packages that
// package.json names as dependencies stay outside; all others become part of it, so whoever installs the tool does not install them.

const PROJECT = resolve(import.meta.dirname, '../..');
const DIST = join(PROJECT, 'dist');

/** What is started or imported, by its name in dist/. */
const ENTRIES = {
  frozen: 'scripts/frozen.ts',
  index: 'scripts/package/index.ts',
  buy: 'scripts/package/buy.ts',
  'compose-thread': 'build/source/worker.ts',
  'query-process': 'build/kinds/query/asker.ts',
  'examiner-process': 'scripts/verify/examiner-process.ts',
};
/** The gate on Cloudflare, which wrangler bundles with the rules of a site. */
const WORKER = {'cloudflare-worker': 'paywall/hosts/worker.ts'};

const {dependencies, peerDependencies} = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
/** @satisfies {esbuild.BuildOptions} */
const common = {
  absWorkingDir: PROJECT,
  outdir: DIST,
  bundle: true,
  write: false,
  format: 'esm',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  plugins: [{name: 'where sources are', setup: keepAddresses}],
  logLevel: 'warning',
};
await mkdir(DIST, {recursive: true});
// First, for the gate is compiled with it.
await writeChanged(join(DIST, 'offer-page.json'), Buffer.from(JSON.stringify(await offerPage())));
const compiled = await Promise.all([
  esbuild.build({
    ...common,
    entryPoints: ENTRIES,
    splitting: true,
    define: {FILES_READ: JSON.stringify(digestOf(['{build,shared}/**/*.{css,js,jsonc}']))},
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: Object.keys({...dependencies, ...peerDependencies}),
    // Packages in the older format of modules ask for others as they run.
    banner: {
      js: "import {createRequire as requireFrom} from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }),
  esbuild.build({
    ...common,
    entryPoints: WORKER,
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['#rules', 'cloudflare:*', 'node:*', ...builtinModules],
  }),
]);
await write(compiled.flatMap(({outputFiles}) => outputFiles));

/** @param {string[]} patterns */
function digestOf(patterns) {
  const digest = createHash('sha256');
  for (const file of glob.sync(patterns, {cwd: PROJECT}).sort())
    digest.update(`${file}\0`).update(readFileSync(join(PROJECT, file)));
  return digest.digest('hex');
}

/**
 * Writes what differs, so that nothing is missing while other processes of this project run, and removes what is left of former code.
 * @param {esbuild.OutputFile[]} files
 */
async function write(files) {
  for (const {path, contents} of files) await writeChanged(path, contents);
  const paths = new Set(files.map(({path}) => path));
  const stale = (await readdir(DIST))
    .map(name => join(DIST, name))
    .filter(path => /\.(js|map|txt)$/.test(path) && !paths.has(path));
  await Promise.all(stale.map(path => rm(path)));
}

/** @type {(path: string, contents: Uint8Array) => Promise<void>} */
async function writeChanged(path, contents) {
  const former = await readFile(path).catch(() => undefined);
  if (former?.equals(contents) !== true) await writeFile(path, contents);
}

/**
 * Compiled sources start each other by their names in dist/, and still find the files that stand beside their sources.
 * @param {esbuild.PluginBuild} build
 */
function keepAddresses(build) {
  /** @type {Map<string, string>} */
  const started = new Map();
  for (const [name, source] of Object.entries({...ENTRIES, ...WORKER})) started.set(join(PROJECT, source), name);
  build.onLoad({filter: /[\\/](build|paywall|scripts|shared)[\\/].*\.ts$/}, ({path}) => {
    const here = JSON.stringify(relative(DIST, path).replaceAll('\\', '/'));
    /** @type {(_: string, source?: string) => string} */
    const address = (_, source) =>
      source === undefined
        ? `new URL(${here}, import.meta.url).href`
        : `new URL('./${nameOf(path, source)}.js', import.meta.url)`;
    const contents = readFileSync(path, 'utf8').replace(
      /new URL\('(\.[^']+\.ts)', import\.meta\.url\)|import\.meta\.url/g,
      address,
    );
    return {contents, loader: 'ts'};
  });

  /** @type {(path: string, source: string) => string} */
  function nameOf(path, source) {
    const name = started.get(join(dirname(path), source));
    if (name === undefined) throw new Error(`${path} starts ${source}, which is no entry of dist/`);
    return name;
  }
}
