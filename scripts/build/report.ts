import {buildCommand, fromHere} from '../../shared/command-line.ts';
import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';
import type {Built} from '../../build/build.ts';
import type {ProductSummary} from '../../build/site/site-files.ts';
import {counted} from '../../shared/counted.ts';
import {printable} from '../../shared/printable.ts';
import {isUpToDate, type Changes} from '../../build/write/changes.ts';

const SHOWN_CHANGES = 12;
const SHOWN_PRODUCTS = 50;

export interface How {
  /** Absolute path of the site. */
  readonly root: string;
  readonly check: boolean;
  readonly seconds: number;
}

/** Returns the summary for the terminal: the first products with their figures, the changes, the time. */
export function summaryOf({products, changes, notes}: Built, how: How): string {
  return [
    ...table(products),
    ...notes.map(note => pc.dim(printable(note))),
    ...changeLines(changes),
    '',
    verdict(products.length, changes, how),
  ].join('\n');
}

/** Returns the output of `build --json`. */
export function summaryForPrograms({products, changes, notes}: Built, {check, seconds}: How): object {
  return {
    ok: !check || isUpToDate(changes),
    products: products.map(({name, title, kind, price, as_of, figures}) => {
      return {name, title, kind, price, as_of, figures};
    }),
    changes: {...changes, unchanged: changes.unchanged.length},
    notes,
    seconds,
  };
}

function table(products: readonly ProductSummary[]): string[] {
  const more = products.length - SHOWN_PRODUCTS;
  const rows = products
    .slice(0, SHOWN_PRODUCTS)
    .map(({title, price, as_of, finding}) => [
      pc.bold(printable(title)),
      pc.green(price),
      pc.dim(as_of.slice(0, 10)),
      printable(finding),
    ]);
  return [...tableLines(rows, [1]), ...(more > 0 ? [pc.dim(`  … and ${more} more`)] : [])];
}

function changeLines({added, changed, removed}: Changes): string[] {
  const lines = [
    // Removed files first, because they may have been for sale.
    ...removed.map(path => `${pc.red('-')} ${path}`),
    ...added.map(path => `${pc.green('+')} ${path}`),
    ...changed.map(path => `${pc.yellow('~')} ${path}`),
  ];
  const more = lines.length - SHOWN_CHANGES;
  return lines.length === 0
    ? []
    : ['', ...lines.slice(0, SHOWN_CHANGES), ...(more > 0 ? [pc.dim(`  … and ${more} more`)] : [])];
}

/** Returns the result of a build as one line. */
export function verdict(sold: number, changes: Changes, {root, check, seconds}: How): string {
  const time = pc.dim(`${seconds.toFixed(2)} s`);
  const files = counted(changes.added.length + changes.changed.length + changes.unchanged.length, 'file');
  const where = root === process.cwd() ? '' : ` below ${fromHere(root)}`;
  const all = `${counted(sold, 'product')}, ${files}${where}`;
  const counts = `${changes.added.length} added, ${changes.changed.length} changed, ${changes.removed.length} removed`;
  if (isUpToDate(changes)) return `${pc.green('up to date')}: ${all}  ${time}`;
  if (check)
    return `${pc.red('out of date')}: ${counts}. Run \`${buildCommand(root)}\` and commit what it writes.  ${time}`;
  return `${pc.green('built')}: ${all}: ${counts}  ${time}`;
}
