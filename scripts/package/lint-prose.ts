import {readFile} from 'node:fs/promises';
import glob from 'fast-glob';
import ts from 'typescript';
import {createLinter, markdown, terminology, text, TextlintKernelDescriptor} from '../../tests/extra/textlint.js';
import vocabulary from './vocabulary.json' with {type: 'json'};

// Checks the vocabulary of the docs and of all comments with textlint. Words in code are not checked. The specification keeps its own words.

/** Without an installed tool, npx would download a package called `frozen`, which is a different project. */
const NPX = /\bnpx (?:--yes |-y )?frozen\b/;

const linter = createLinter({
  descriptor: new TextlintKernelDescriptor({
    rules: [{ruleId: 'vocabulary', rule: terminology, options: {defaultTerms: false, terms: vocabulary}}],
    plugins: [
      {pluginId: 'markdown', plugin: markdown},
      {pluginId: 'text', plugin: text},
    ],
    filterRules: [],
  }),
});
const pages = await glob(['*.md', 'docs/**/*.md'], {ignore: ['**/specification.md']});
const sources = await glob('{build,buyer,paywall,scripts,shared,tests}/**/*.{js,ts}', {ignore: ['**/node_modules/**']});
const faults = [...(await Promise.all(pages.map(faultsInPage))), ...(await Promise.all(sources.map(faultsInComments)))];
for (const fault of faults.flat()) console.error(fault);
process.exitCode = faults.flat().length > 0 ? 1 : 0;

async function faultsInPage(page: string): Promise<string[]> {
  const content = await readFile(page, 'utf8');
  const npx = content
    .split('\n')
    .flatMap((line, index) => (NPX.test(line) ? [`${page}:${index + 1}: write "frozen", without npx`] : []));
  return [...(await faultsIn(page, content, 'page.md')), ...npx];
}

async function faultsInComments(source: string): Promise<string[]> {
  return faultsIn(source, commentsOf(await readFile(source, 'utf8')), 'comments.txt');
}

async function faultsIn(file: string, content: string, type: string): Promise<string[]> {
  const {messages} = await linter.lintText(content, type);
  return messages.map(({loc, message}) => `${file}:${loc.start.line}: ${message}`);
}

/** Returns the comments of a source. Spaces replace everything else, including code and names of parameters, so that lines stay the same. */
function commentsOf(source: string): string {
  let comments = source.replaceAll(/[^\n]/g, ' ');
  const copy = (node: ts.Node) => {
    const leading = ts.getLeadingCommentRanges(source, node.pos) ?? [];
    const trailing = ts.getTrailingCommentRanges(source, node.end) ?? [];
    for (const {pos, end} of [...leading, ...trailing]) {
      const comment = source
        .slice(pos, end)
        .replaceAll(/`[^`]*`|@param \w+|[/*]/g, code => code.replaceAll(/[^\n]/g, ' '));
      comments = comments.slice(0, pos) + comment + comments.slice(end);
    }
    ts.forEachChild(node, copy);
  };
  copy(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return comments;
}
