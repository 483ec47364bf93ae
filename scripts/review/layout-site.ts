import type {Block} from './blocks.ts';
import {textLines} from './layout-lines.ts';
import {isUnchanged, type FileChange, type Review} from './report.ts';
import {shown, type Words} from './words.ts';

/** What concerns the site: products that stay, rules, hosts, pages. */
export function siteSections(review: Review): Block[] {
  const {products, site, rules, hosts, files} = review;
  if (isUnchanged(review)) return [];
  const same = products.filter(({status}) => status === 'unchanged');
  return [
    ...(same.length > 0 ? [heading('Unchanged'), quiet(listed(same.map(({title}) => title)))] : []),
    ...(site.length > 0 ? [heading('Site'), ...site.map(textLines)] : []),
    heading('Rules'),
    ruleTable(rules.filter(({status}) => status !== 'unchanged')),
    heading('Hosts'),
    {type: 'table', head: ['host', 'rule file', ''], rows: hosts.flatMap(hostRows)},
    ...(files.length > 0 ? [heading('Pages'), fileTable(files)] : []),
  ];
}

function heading(text: string): Block {
  return {type: 'heading', level: 2, words: [text]};
}

function quiet(words: Words): Block {
  return {type: 'paragraph', words, tone: 'quiet'};
}

function ruleTable(changed: Review['rules']): Block {
  if (changed.length === 0) return quiet(['paths and prices: unchanged']);
  return {type: 'table', head: ['rule', '', 'path', 'price before', 'price after'], rows: changed.map(ruleRow)};
}

function listed(names: readonly string[]): Words {
  const most = 20;
  const more = names.length - most;
  return [
    ...names.slice(0, most).flatMap((name, index): Words => [...(index > 0 ? [', '] : []), {data: name}]),
    ...(more > 0 ? [` and ${more} more`] : []),
  ];
}

function ruleRow({name, status, path, price}: Review['rules'][number]): Words[] {
  const moved = path.before !== undefined && path.after !== undefined && path.before !== path.after;
  return [
    shown(name),
    [status],
    moved ? [...optional(path.before), ' → ', ...optional(path.after)] : optional(path.after ?? path.before),
    optional(price.before),
    optional(price.after),
  ];
}

function hostRows({host, status, files}: Review['hosts'][number]): Words[][] {
  const name: Words = status === 'added' || status === 'removed' ? [...shown(host), ` (${status})`] : shown(host);
  if (files.length === 0) return [[name, ['no rule file of its own'], []]];
  return files.map(file => [name, shown(file.path), [file.status]]);
}

function fileTable(files: readonly FileChange[]): Block {
  return {type: 'table', head: ['file', ''], rows: files.map(({path, status}) => [shown(path), [status]])};
}

function optional(value: string | undefined): Words {
  return value === undefined ? [] : shown(value);
}
