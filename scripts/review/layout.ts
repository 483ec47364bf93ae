import {counted} from '../../shared/counted.ts';
import type {Block, Item, Tone} from './blocks.ts';
import {factTable, pastTable} from './layout-figures.ts';
import {goodsLines, listLines, textLines} from './layout-lines.ts';
import {isBroken, isUnchanged, type Finding, type ProductReview, type Review} from './report.ts';
import {VERDICTS} from './schema-verdicts.ts';
import {say, shown, type Words} from './words.ts';

/** The head of the review: what was compared, the verdict, and what to know before publishing. */
export function summary(review: Review): Block[] {
  const {base, head, findings, notes} = review;
  return [
    {type: 'heading', level: 1, words: ['What buyers will see change']},
    {type: 'paragraph', words: say`from ${base} to ${head}`, tone: 'quiet'},
    {
      type: 'paragraph',
      words: [verdict(review)],
      tone: isBroken(review) ? 'broken' : findings.length > 0 ? 'warning' : 'fine',
    },
    ...(findings.length > 0 ? [{type: 'list', items: findings.map(findingItem)} as const] : []),
    ...notes.map(words => ({type: 'paragraph', words, tone: 'quiet'}) as const),
  ];
}

function verdict(review: Review): string {
  const broken = review.findings.filter(({severity}) => severity === 'broken').length;
  const warnings = review.findings.length - broken;
  if (isUnchanged(review)) return 'Buyers see no change.';
  const counts = [
    ...(broken > 0 ? [counted(broken, 'broken promise')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return counts.length === 0 ? 'No promise is broken.' : `${counts.join(', ')}.`;
}

function findingItem({severity, says}: Finding): Item {
  return {words: [severity === 'broken' ? 'broken promise: ' : 'warning: ', ...says], tone: severity};
}

/** One section a product that changed. */
export function productSections({products}: Review): Block[][] {
  return products.filter(({status}) => status !== 'unchanged').map(productSection);
}

const TONES = {added: 'fine', removed: 'broken', changed: 'warning', unchanged: 'quiet'} as const satisfies Record<
  string,
  Tone
>;

function productSection(product: ProductReview): Block[] {
  const {title, name, status, schemas, history} = product;
  return [
    {type: 'heading', level: 2, words: [...shown(title), ` (`, ...shown(name), `) ${status}`], tone: TONES[status]},
    factTable(product),
    ...product.past.map(pastTable),
    ...(history.came.length > 0 && status === 'changed' ? [points('new in its history', history.came)] : []),
    ...(history.went.length > 0 && status === 'changed' ? [points('gone from its history', history.went)] : []),
    ...goodsLines(product.goods),
    ...product.lists.map(listLines),
    ...product.texts.map(textLines),
    ...(schemas.length > 0
      ? ([
          {type: 'paragraph', words: ['schemas:']},
          {type: 'list', items: schemas.map(schemaItem)},
        ] as const)
      : []),
  ];
}

function points(says: string, dates: readonly string[]): Block {
  return {
    type: 'paragraph',
    words: [`${says}: `, ...dates.flatMap((date, index): Words => [...(index > 0 ? [', '] : []), {data: date}])],
  };
}

function schemaItem({document, path, change, breaking, before, after}: ProductReview['schemas'][number]): Item {
  const place = path === '' ? [`${document}: `] : [`${document} `, {data: path}, ': '];
  const values: Words = [
    ...(before === undefined && after === undefined ? [] : [', ']),
    ...(before === undefined ? [] : shown(before)),
    ...(before === undefined || after === undefined ? [] : [' → ']),
    ...(after === undefined ? [] : shown(after)),
  ];
  const says = `${breaking ? 'breaking' : 'not breaking'}, ${VERDICTS[change][1]}`;
  return {words: [...place, says, ...values], tone: breaking ? 'broken' : 'quiet'};
}
