import {readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {DIST, PROJECT} from './entries.js';

/**
 * Makes compiled sources start each other by their names in dist/, and find files next to their sources.
 * @param {string} outdir the folder of all compiled files
 * @param {Record<string, string>} entries compiled sources by name; addresses of other files stay as they are
 * @returns {import('esbuild').Plugin}
 */
export function keepAddresses(outdir, entries) {
  const compiled = new Map(Object.entries(entries).map(([name, source]) => [join(PROJECT, source), `${name}.js`]));
  /** @type {(path: string) => string} */
  const from = path => JSON.stringify(relative(outdir, path).replaceAll('\\', '/'));
  /** @type {(path: string, source: string) => string} */
  const addressOf = (path, source) => {
    const target = join(dirname(path), source);
    const name = compiled.get(target);
    return `new URL(${from(name === undefined ? target : join(DIST, name))}, import.meta.url)`;
  };
  return {
    name: 'where sources are',
    setup(build) {
      build.onLoad({filter: /[\\/](build|buyer|paywall|scripts|shared|tests)[\\/].*\.ts$/}, ({path}) => {
        const here = `new URL(${from(path)}, import.meta.url).href`;
        const folder = `import.meta.dirname + '/' + ${from(dirname(path))}`;
        const contents = readFileSync(path, 'utf8').replace(
          /new URL\('(\.[^']+\.ts)', import\.meta\.url\)|import\.meta\.url|import\.meta\.dirname/g,
          (found, /** @type {string | undefined} */ source) =>
            source === undefined ? (found.endsWith('url') ? here : folder) : addressOf(path, source),
        );
        return {contents, loader: 'ts'};
      });
    },
  };
}
