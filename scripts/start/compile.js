import {mkdirSync, readFileSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import * as esbuild from 'esbuild';

/**
 * Compiles a source of the project and everything that it imports into the file `compiled`: a function of what Node hands a CommonJS
 * module. It is written beside and then renamed, for another start may be faster. Removes what former code left in `cache`.
 */
export async function compile({project, source, cache, compiled}) {
  const own = dirname(compiled);
  mkdirSync(own, {recursive: true});
  const unfinished = `${compiled}.${process.pid}`;
  await esbuild.build({
    entryPoints: [join(project, source)],
    outfile: unfinished,
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
    banner: {js: '(function (module, exports, require, __filename, __dirname) {'},
    footer: {js: '})'},
    plugins: [{name: 'where sources are', setup: keepAddresses}],
    logLevel: 'error',
  });
  renameSync(unfinished, compiled);
  const former = readdirSync(cache).filter(name => join(cache, name) !== own);
  for (const name of former) rmSync(join(cache, name), {recursive: true, force: true});
}

/** A compiled source still finds the files beside its source. */
function keepAddresses(build) {
  build.onLoad({filter: /[\\/](build|paywall|scripts)[\\/].*\.ts$/}, ({path}) => ({
    contents: readFileSync(path, 'utf8')
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
    loader: 'ts',
  }));
}
