import {mkdirSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import * as esbuild from 'esbuild';

/** A source of the project and everything that it imports as one script: a function of what Node hands a CommonJS module. */
export async function compiledText(project, source) {
  const {outputFiles} = await esbuild.build({
    absWorkingDir: project,
    entryPoints: [`./${source}`],
    write: false,
    bundle: true,
    legalComments: 'none',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // What is not bundled is required: a compiled script cannot import.
    supported: {'dynamic-import': false},
    mainFields: ['module', 'main'],
    external: ['@duckdb/node-bindings*', 'piscina'],
    banner: {js: '(function (module, exports, require, __filename, __dirname) {'},
    footer: {js: '})'},
    plugins: [{name: 'where sources are', setup: keepAddresses}],
    // What is wrong with a source is told when it runs as it is.
    logLevel: 'silent',
  });
  return outputFiles[0].contents;
}

/** Makes the folder `own` of `cache`, and removes what former code has left there. */
export function makeRoom(cache, own) {
  mkdirSync(own, {recursive: true});
  const former = readdirSync(cache).filter(name => join(cache, name) !== own);
  for (const name of former) rmSync(join(cache, name), {recursive: true, force: true});
}

/** A compiled source still finds the files beside its source. */
function keepAddresses(build) {
  build.onLoad({filter: /[\\/](build|paywall|scripts|shared)[\\/].*\.ts$/}, ({path}) => ({
    contents: readFileSync(path, 'utf8')
      .replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.dirname', () => JSON.stringify(dirname(path))),
    loader: 'ts',
  }));
}
