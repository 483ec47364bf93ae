import {line, table, type Block, type Cell} from './blocks.ts';
import {textLines} from './layout-lines.ts';
import {isUnchanged, type Review} from './report.ts';
import {listed, say} from './words.ts';

/** How many unchanged products are named. The others are counted. */
const NAMED = 20;

/** Returns the sections about the site: unchanged products, rules, pages. */
export function siteSections(review: Review): Block[] {
  if (isUnchanged(review)) return [];
  const {products, site, rules, files} = review;
  const same = products.filter(({status}) => status === 'unchanged').map(({title}) => title);
  const moved = rules.filter(({status}) => status !== 'unchanged');
  const changed = files.map(({path, status}) => [say`${path}`, status]);
  return [
    ...section('Unchanged', same.length > 0 ? [line('text', listed(same, NAMED), 'quiet')] : []),
    ...section('Site', site.flatMap(textLines)),
    ...section('Rules', [
      moved.length > 0
        ? table(['rule', '', 'path', 'price before', 'price after'], moved.map(ruleRow))
        : line('text', 'paths and prices: unchanged', 'quiet'),
    ]),
    ...section('Pages', files.length > 0 ? [table(['file', ''], changed)] : []),
  ];
}

function section(title: string, blocks: readonly Block[]): Block[] {
  return blocks.length > 0 ? [line('section', title), ...blocks] : [];
}

function ruleRow({name, status, path, price}: Review['rules'][number]): Cell[] {
  const {before, after} = path;
  const moved = before !== undefined && after !== undefined && before !== after;
  return [
    say`${name}`,
    status,
    moved ? say`${before} → ${after}` : say`${after ?? before}`,
    say`${price.before}`,
    say`${price.after}`,
  ];
}
