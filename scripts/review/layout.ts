import {counted} from '../../shared/counted.ts';
import {line, table, type Block, type Cell} from './blocks.ts';
import {factTable, pastTable} from './layout-figures.ts';
import {rowLines, listLines, textLines} from './layout-lines.ts';
import {isUnchanged, type ProductReview, type Review} from './report.ts';
import {VERDICTS} from './schema-verdicts.ts';
import {listed, own, say} from './words.ts';

/** Returns the head of the review: the compared revisions, the verdict, and the findings. */
export function summary(review: Review): Block[] {
  const {stale, base, head, findings, notes} = review;
  const broken = findings.filter(({severity}) => severity === 'broken').length;
  const warnings = findings.length - broken;
  const counts = [
    ...(broken > 0 ? [counted(broken, 'broken promise')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  const fine = isUnchanged(review) ? 'Buyers see no change.' : 'No promise is broken.';
  const items = findings.map(({severity, says}) =>
    line('item', [severity === 'broken' ? 'broken promise: ' : 'warning: ', ...says], severity),
  );
  const verdict = counts.length > 0 ? `${counts.join(', ')}.` : fine;
  const verdictTone = broken > 0 ? 'broken' : warnings > 0 ? 'warning' : 'fine';
  return [
    ...(stale ? [line('text', stale, 'broken')] : []),
    line('title', 'Changes that buyers will see'),
    line('text', say`from ${base} to ${head}`, 'quiet'),
    // Without a finding, a stale build has no verdict.
    ...(stale && counts.length === 0 ? [] : [line('text', verdict, verdictTone)]),
    ...items,
    ...notes.map(words => line('text', words, 'quiet')),
  ];
}

/** Returns a section for each changed product. */
export function productSections({products}: Review): Block[][] {
  return products.filter(({status}) => status !== 'unchanged').map(productSection);
}

const TONES = {added: 'fine', removed: 'broken', changed: 'warning', unchanged: 'quiet'} as const;

function productSection(product: ProductReview): Block[] {
  const {title, name, status, past, history, rows, tables, lists, texts, schemas} = product;
  return [
    line('section', say`${title} (${name}) ${own(status)}`, TONES[status]),
    factTable(product),
    ...past.map(pastTable),
    ...(history.added.length > 0 ? [line('text', say`new in its history: ${listed(history.added)}`)] : []),
    ...(history.removed.length > 0 ? [line('text', say`removed from its history: ${listed(history.removed)}`)] : []),
    ...(rows ? rowLines(rows) : []),
    ...tables.flatMap(rowLines),
    ...lists.flatMap(listLines),
    ...texts.flatMap(textLines),
    ...(schemas.length > 0 ? [line('text', 'schemas:'), ...schemas.map(schemaItem)] : []),
  ];
}

function schemaItem({document, path, change, breaking, before, after}: ProductReview['schemas'][number]) {
  const place = [...own(path === '' ? document : `${document} `), ...say`${path || undefined}`];
  const verdict = own(`: ${breaking ? 'breaking' : 'not breaking'}, ${VERDICTS[change][1]}`);
  const comma = own(before === undefined && after === undefined ? '' : ', ');
  const arrow = own(before === undefined || after === undefined ? '' : ' → ');
  return line('item', say`${place}${verdict}${comma}${before}${arrow}${after}`, breaking ? 'broken' : 'quiet');
}

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
    ...sectionOf('Unchanged', same.length > 0 ? [line('text', listed(same, NAMED), 'quiet')] : []),
    ...sectionOf('Site', site.flatMap(textLines)),
    ...sectionOf('Rules', [
      moved.length > 0
        ? table(['rule', '', 'path', 'price before', 'price after'], moved.map(ruleRow))
        : line('text', 'paths and prices: unchanged', 'quiet'),
    ]),
    ...sectionOf('Pages', files.length > 0 ? [table(['file', ''], changed)] : []),
  ];
}

function sectionOf(title: string, blocks: readonly Block[]): Block[] {
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
