import {readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {DIST, PROJECT} from './entries.js';

/** Code with the address of a source (`new URL(…)`), or with the folder or address of the file itself. */
const ADDRESS = /new URL\('([^']+\.ts)', import\.meta\.url\)|\bimport\.meta\.(dirname|url)\b/g;

/**
 * Makes compiled sources start each other by their names in dist/, and find files next to their sources.
 * @param {string} outdir the folder of all compiled files
 * @param {Record<string, string>} entries compiled sources by name; addresses of other files stay as they are
 * @returns {import('esbuild').Plugin}
 */
export function keepAddresses(outdir, entries) {
  const compiled = new Map(
    Object.entries(entries).map(([name, source]) => [join(PROJECT, source), join(DIST, `${name}.js`)]),
  );
  /** @type {(path: string) => string} */
  const from = path => JSON.stringify(relative(outdir, path).replaceAll('\\', '/'));
  return {
    name: 'where sources are',
    setup(build) {
      build.onLoad({filter: /[\\/](build|buyer|paywall|scripts|shared|tests)[\\/].*\.ts$/}, ({path}) => {
        const contents = readFileSync(path, 'utf8').replaceAll(ADDRESS, (_, source, member) => {
          if (member === 'dirname') return `import.meta.dirname + '/' + ${from(dirname(path))}`;
          if (member === 'url') return `new URL(${from(path)}, import.meta.url).href`;
          const target = join(dirname(path), source);
          return `new URL(${from(compiled.get(target) ?? target)}, import.meta.url)`;
        });
        return {contents, loader: 'ts'};
      });
    },
  };
}
