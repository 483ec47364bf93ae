import {existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import * as esbuild from 'esbuild';

/**
 * Compiles build/main.ts into `main.cjs` in the folder `own` of `cache`: a function of `module`, `exports` and `require`. It is written
 * beside and then renamed, for another start may be faster. Removes what former code left.
 */
export async function compile(project, cache, own) {
  const folder = join(cache, `new-${process.pid}`);
  mkdirSync(folder, {recursive: true});
  try {
    await esbuild.build({
      entryPoints: [join(project, 'build/main.ts')],
      outfile: join(folder, 'main.cjs'),
      bundle: true,
      minifyWhitespace: true,
      legalComments: 'none',
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      // What is not bundled is required: a compiled script cannot import.
      supported: {'dynamic-import': false},
      mainFields: ['module', 'main'],
      external: ['@duckdb/node-bindings*'],
      banner: {js: '(function (module, exports, require) {'},
      footer: {js: '})'},
      plugins: [{name: 'where sources are', setup: keepAddresses}],
      logLevel: 'error',
    });
    if (!existsSync(join(own, 'main.cjs'))) renameSync(folder, own);
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
