import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

// `npm run build` starts here and runs build/main.ts. Its sources are compiled once for as long as they stay the same, instead of one
// by one at each start, into node_modules/.cache, which may be deleted at any time.

const project = fileURLToPath(new URL('..', import.meta.url));
const cache = join(project, 'node_modules/.cache/frozen-snapshots');
const own = join(cache, digestOfCode());
const compiled = join(own, 'main.js');
const {main} = await load();
// Builds are remembered beside the code that made them; where that could not be kept, neither are they.
const memory = existsSync(compiled) ? join(own, 'builds') : undefined;
process.exitCode = await main(process.argv.slice(2), undefined, memory);

/** build/main.ts, compiled; where nothing can be kept, as its sources are. */
async function load() {
  try {
    if (!existsSync(compiled)) await compile();
  } catch {
    (await import('tsx/esm/api')).register();
    return import('./main.ts');
  }
  return import(pathToFileURL(compiled).href);
}

/** SHA-256 of everything that makes the generator what it is: its place, its sources, its packages, and Node. */
function digestOfCode() {
  const sources = ['build', 'paywall'].flatMap(folder =>
    readdirSync(join(project, folder), {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile() && /\.(ts|js|css)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name)),
  );
  const hash = createHash('sha256').update(`${project}\0${process.version}\0`);
  for (const file of [...sources.sort(), join(project, 'package-lock.json')]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Compiles into files in a folder beside, which is then renamed; another start may have been faster. Removes what former code left. */
async function compile() {
  const folder = join(cache, `new-${process.pid}`);
  mkdirSync(folder, {recursive: true});
  try {
    const esbuild = await import('esbuild');
    await esbuild.build({
      entryPoints: [join(project, 'build/main.ts')],
      outdir: folder,
      bundle: true,
      minifyWhitespace: true,
      legalComments: 'none',
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      mainFields: ['module', 'main'],
      external: ['@duckdb/node-bindings*'],
      banner: {
        js: "import {createRequire as requireFrom} from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      plugins: [{name: 'where sources are', setup: keepAddresses}],
      logLevel: 'error',
    });
    if (!existsSync(compiled)) renameSync(folder, own);
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
  const former = readdirSync(cache).filter(name => isFormer(name) && join(cache, name) !== own);
  for (const name of former) rmSync(join(cache, name), {recursive: true, force: true});
}

/** Whether a folder is of other code, or of a compile that was killed. */
function isFormer(name) {
  const [, pid] = /^new-(\d+)$/.exec(name) ?? [];
  if (pid === undefined) return /^[0-9a-f]{64}$/.test(name);
  try {
    return !process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** A compiled source still finds the files beside its source. */
function keepAddresses(build) {
  build.onLoad({filter: /[\\/]build[\\/].*\.ts$/}, ({path}) => ({
    contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    loader: 'ts',
  }));
}
