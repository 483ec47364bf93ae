import {readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import ts from 'typescript';
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
  /** @type {(path: string, node: ts.Node) => string | undefined} */
  const replacement = (path, node) => {
    if (isMeta(node, 'dirname')) return `import.meta.dirname + '/' + ${from(dirname(path))}`;
    if (isMeta(node, 'url')) return `new URL(${from(path)}, import.meta.url).href`;
    if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return undefined;
    const [source, base] = node.arguments ?? [];
    if (!source || !ts.isStringLiteral(source) || !source.text.endsWith('.ts') || !base || !isMeta(base, 'url'))
      return undefined;
    const target = join(dirname(path), source.text);
    const name = compiled.get(target);
    return `new URL(${from(name === undefined ? target : join(DIST, name))}, import.meta.url)`;
  };
  return {
    name: 'where sources are',
    setup(build) {
      build.onLoad({filter: /[\\/](build|buyer|paywall|scripts|shared|tests)[\\/].*\.ts$/}, ({path}) => {
        const contents = readFileSync(path, 'utf8');
        if (!contents.includes('import.meta')) return {contents, loader: 'ts'};
        /** @type {(node: ts.Node) => {start: number, end: number, text: string}[]} */
        const editsIn = node => {
          const text = replacement(path, node);
          if (text !== undefined) return [{start: node.getStart(), end: node.end, text}];
          return node.getChildren().flatMap(editsIn);
        };
        const edits = editsIn(ts.createSourceFile(path, contents, ts.ScriptTarget.Latest, true));
        const edited = edits.reduceRight(
          (code, {start, end, text}) => code.slice(0, start) + text + code.slice(end),
          contents,
        );
        return {contents: edited, loader: 'ts'};
      });
    },
  };
}

/** True for `import.meta.<name>`. @param {ts.Node} node @param {string} name */
function isMeta(node, name) {
  return ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression) && node.name.text === name;
}
