import {editionTitle, editionPath, FORMATS, JSON_TYPE, paths} from '../../shared/paths.ts';
import type {Rule, RuleEntry, Rules} from '../../shared/shapes.ts';
import type {Site} from '../read/site.ts';
import type {Edition, ProductRecord} from './record.ts';

/** The rules of a product, one per paid path. They are the only source of its price, for every host. */
export function rulesOf(record: ProductRecord): RuleEntry[] {
  return [
    {...paidRule(record), example: record.example},
    ...record.editions.map(edition => ({
      ...editionRule(record, edition),
      ...(edition.format === 'json' && {example: record.example}),
    })),
  ];
}

function paidRule({name, title, price, difference, pass, snapshots}: ProductRecord): Rule {
  return {
    name,
    method: 'GET',
    path: paths.paid(name),
    price: price.text,
    title,
    description: `${title}: ${difference}.`,
    type: JSON_TYPE,
    sample: paths.sample(name),
    schema: paths.paidSchema(name),
    ...(pass && {pass}),
    ...(snapshots && {snapshots}),
  };
}

function editionRule(record: ProductRecord, {part, format}: Edition): Rule {
  const title = editionTitle(record.title, {part, format});
  return {
    ...paidRule(record),
    path: editionPath(record.name, {part, format}),
    title,
    description: `${title}: ${record.difference}.`,
    type: FORMATS[format].type,
  };
}

/**
 * Returns `paywall/rules/rules.json`, which lists the paid documents for all hosts.
 * @param hosts the rule files of each host, by its name
 */
export function rulesDocument(
  {title, base_url, payment, redownload_days, signing}: Site,
  rules: readonly RuleEntry[],
  hosts: Readonly<Record<string, readonly string[]>>,
): Rules {
  const key = signing && {signing: {kid: signing.kid, x: signing.x}};
  return {title, base_url, payment, redownload_days, ...key, rules, hosts};
}
