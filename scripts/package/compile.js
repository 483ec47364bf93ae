import {readFileSync} from 'node:fs';
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createHash} from 'node:crypto';
import {builtinModules} from 'node:module';
import * as esbuild from 'esbuild';
import glob from 'fast-glob';
import {DIST, ENTRIES, PROJECT, WORKER} from './entries.js';
import {keepAddresses} from './keep-addresses.js';
import {offerPage} from './offer-page.js';

// Compiles the command, its processes and threads, and the exports of the package into dist/. Dependencies in package.json stay external;
// all other packages are bundled, so users do not install them.

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
  plugins: [keepAddresses(DIST, {...ENTRIES, ...WORKER})],
  logLevel: 'warning',
};
await mkdir(DIST, {recursive: true});
// First, because the gate is compiled with it.
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
    // CommonJS packages call `require` at run time.
    banner: {
      js: "import {createRequire as requireFrom} from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }),
  esbuild.build({
    ...common,
    entryPoints: WORKER,
    plugins: [...common.plugins, withoutSideEffects(['tweetnacl', '@signinwithethereum/siwe'])],
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['#rules', 'cloudflare:*', 'node:*', ...builtinModules],
  }),
]);
await write(compiled.flatMap(({outputFiles}) => outputFiles));

/**
 * Removes packages whose exports are not used. Their package.json does not declare that importing them has no side effects.
 * @param {string[]} packages
 * @returns {import('esbuild').Plugin}
 */
function withoutSideEffects(packages) {
  return {
    name: 'without side effects',
    setup(build) {
      build.onResolve({filter: /^[^.]/}, async ({path, pluginData, ...where}) => {
        if (!packages.includes(path) || pluginData === packages) return undefined;
        const resolved = await build.resolve(path, {...where, pluginData: packages});
        return {...resolved, sideEffects: false};
      });
    },
  };
}

/** @param {string[]} patterns */
function digestOf(patterns) {
  const digest = createHash('sha256');
  for (const file of glob.sync(patterns, {cwd: PROJECT}).sort())
    digest.update(`${file}\0`).update(readFileSync(join(PROJECT, file)));
  return digest.digest('hex');
}

/**
 * Writes only changed files, so that processes that run from dist/ find all of them, and removes stale ones.
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
