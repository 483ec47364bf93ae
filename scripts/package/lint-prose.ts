import {readFile} from 'node:fs/promises';
import glob from 'fast-glob';
import {markdown, terminology, text, TextlintKernel, TextlintKernelDescriptor} from '../../tests/extra/textlint.js';
import vocabulary from './vocabulary.json' with {type: 'json'};

// Checks the vocabulary of the docs and of all comments with textlint. Words in code are not checked. The specification keeps its own words.

/** Without an installed tool, npx would download a package called `frozen`, which is a different project. */
const NPX = /\bnpx (?:--yes |-y )?frozen\b/;

/** A comment at the end of a line, or one that starts on its own line. */
const COMMENT = /(?<=^|\s)\/\/ .*|^ *\/\*\*?\s[^]*?\*\//gm;

const linter = new TextlintKernel();
const options = new TextlintKernelDescriptor({
  rules: [{ruleId: 'vocabulary', rule: terminology, options: {defaultTerms: false, terms: vocabulary}}],
  plugins: [
    {pluginId: 'markdown', plugin: markdown},
    {pluginId: 'text', plugin: text},
  ],
  filterRules: [],
}).toKernelOptions();
const pages = await glob(['*.md', 'docs/**/*.md', 'scripts/init/template/*.md'], {ignore: ['**/specification.md']});
const sources = await glob('{build,buyer,paywall,scripts,shared,tests}/**/*.{js,ts}', {ignore: ['**/node_modules/**']});
const faults = [...(await Promise.all(pages.map(faultsInPage))), ...(await Promise.all(sources.map(faultsInComments)))];
for (const fault of faults.flat()) console.error(fault);
process.exitCode = faults.flat().length > 0 ? 1 : 0;

async function faultsInPage(page: string): Promise<string[]> {
  const content = await readFile(page, 'utf8');
  const npx = content
    .split('\n')
    .flatMap((line, index) => (NPX.test(line) ? [`${page}:${index + 1}: write "frozen", without npx`] : []));
  return [...(await faultsIn(page, content, '.md')), ...npx];
}

async function faultsInComments(source: string): Promise<string[]> {
  return faultsIn(source, commentsOf(await readFile(source, 'utf8')), '.txt');
}

async function faultsIn(file: string, content: string, ext: '.md' | '.txt'): Promise<string[]> {
  const {messages} = await linter.lintText(content, {...options, ext});
  return messages.map(({loc, message}) => `${file}:${loc.start.line}: ${message}`);
}

/** Returns the comments of a source on their lines, without code and names of parameters. */
function commentsOf(source: string): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');
  const comments = source.match(COMMENT) ?? [];
  const prose = comments.map(comment => comment.replaceAll(/`[^`]*`|@param \w+|[/*]/g, blank));
  return source
    .split(COMMENT)
    .map((code, index) => blank(code) + (prose[index] ?? ''))
    .join('');
}
