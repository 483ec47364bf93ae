import {readFileSync} from 'node:fs';
import glob from 'fast-glob';
import type {Nodes} from 'mdast';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {gfmFromMarkdown} from 'mdast-util-gfm';
import {gfm} from 'micromark-extension-gfm';

// Checks the vocabulary of the pages at the top and in docs/. Words in code are not checked. The specification keeps its own words.

/** Words that the docs avoid, and what to write. */
const AVOIDED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<=^|[.:;] )Where\b(?! (?:to|is|are|do|does|can)\b)/, '"if", or a new sentence'],
  [/\b(?:no|some|any)body\b/i, 'the person or program that acts, such as "buyer"'],
  [/\b(?:tells?|told|telling)\b/i, '"say", "show" or "report"'],
  [/\balone\b/i, '"only"'],
  [/\b(?:whoever|whatever|whichever)\b/i, 'a noun'],
  [/\bbesides?\b/i, '"next to", "in addition to" or "compared with"'],
  [/\bstand(?:s|ing)?\b/i, '"is" or "exist"'],
  [/\banew\b/i, '"again"'],
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b)|\b(?:is|are) none\b/i, '"is not a"'],
  [/\b(?:all the same|as it is|so does|goes on|of its own accord)\b/i, 'what happens'],
  [/\b(?:the books|till|purse|shelf|goods|rooms?)\b/i, 'the term in docs/glossary.md, such as "ledger"'],
  [/\b(?:owed|owes?|debts?)\b/i, '"entitlement", "can collect"'],
  [/\bmoments?\b/i, '"time"'],
  [/\bstrangers?\b/i, '"unknown", or who it is'],
];

/** Without an installed tool, npx would download a package called `frozen`, which is a different project. */
const NPX = /\bnpx (?:--yes |-y )?frozen\b/;

const pages = glob
  .sync(['*.md', 'docs/**/*.md'])
  .sort()
  .filter(page => !page.endsWith('/specification.md'));
const faults = pages.flatMap(page => {
  const text = readFileSync(page, 'utf8');
  const tree = fromMarkdown(text, {extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()]});
  return [...wordsIn(page, tree), ...npxIn(page, text)];
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function wordsIn(page: string, node: Nodes): string[] {
  if (node.type !== 'text') return 'children' in node ? node.children.flatMap(child => wordsIn(page, child)) : [];
  return AVOIDED.flatMap(([pattern, instead]) => {
    const found = pattern.exec(node.value);
    if (!found) return [];
    const line = (node.position?.start.line ?? 0) + node.value.slice(0, found.index).split('\n').length - 1;
    return [`${page}:${line}: "${found[0].trim()}": write ${instead}`];
  });
}

function npxIn(page: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => (NPX.test(line) ? [`${page}:${index + 1}: write "frozen", without npx`] : []));
}
