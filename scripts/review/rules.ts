import {paths, PUBLIC} from '../../shared/paths.ts';
import type {Site, Sites} from './catalogue.ts';
import {differing, joined} from './compare.ts';
import type {FileChange, Review} from './report.ts';

/** Returns the rules with their changes. */
export function ruleChanges({before, after}: Sites): Review['rules'] {
  const byName = ({rules: {rules}}: Site) =>
    new Map(rules.map(({name, method, path, price}) => [keyOf(name, path), {method, path, price}]));
  return joined(byName(before), byName(after)).map(({key: name, status, before: was, after: is}) => ({
    name,
    status,
    path: {before: was?.path, after: is?.path},
    price: {before: was?.price, after: is?.price},
  }));
}

/** Returns the name of a product; for a part or another format, with the end of its path: `softfail3-europe.csv`. */
function keyOf(name: string, path: string): string {
  const edition = path.slice(paths.paid(name).length);
  return path.startsWith(paths.paid(name)) && /^[-.]/.test(edition) ? name + edition : name;
}

/** Returns the changed free files that belong to no product: pages, `serve.json`, … */
export function fileChanges(sites: Sites): FileChange[] {
  const listed = [...sites.after.catalogue.files, ...sites.before.catalogue.files].map(({path}) => PUBLIC + path);
  const idsOf = ({state: {ids}}: Site) =>
    new Map(listed.flatMap(path => (ids.has(path) ? [[path, ids.get(path)]] : [])));
  return differing(idsOf(sites.before), idsOf(sites.after)).map(({key: path, status}) => ({path, status}));
}
