import {paths, PUBLIC} from '../../shared/paths.ts';
import type {Site, Sites} from './catalogue.ts';
import {joined} from './compare.ts';
import type {FileChange, Review} from './report.ts';

/** Returns the rules with their changes. The rules of all hosts are derived from them. */
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

/** Returns the rule files of each host, changed or not. */
export function hostReviews(sites: Sites): Review['hosts'] {
  const byName = ({rules: {hosts}}: Site) => new Map(Object.entries(hosts));
  return joined(byName(sites.before), byName(sites.after)).map(({key: host, status, before = [], after = []}) => {
    const files = changesOf([...after, ...before], sites);
    const isChanged = files.some(file => file.status !== 'unchanged');
    return {host, files, status: status === 'unchanged' && isChanged ? 'changed' : status};
  });
}

/** Returns the changed free files that belong to no product: pages, `serve.json`, … */
export function fileChanges(sites: Sites): FileChange[] {
  const listed = [...sites.after.catalogue.files, ...sites.before.catalogue.files].map(({path}) => PUBLIC + path);
  return changesOf(listed, sites).filter(({status}) => status !== 'unchanged');
}

/** Compares the files at these paths. */
function changesOf(paths: readonly string[], {before, after}: Sites): FileChange[] {
  const idsOf = ({state: {ids}}: Site) =>
    new Map(paths.flatMap(path => (ids.has(path) ? [[path, ids.get(path)]] : [])));
  return joined(idsOf(before), idsOf(after)).map(({key: path, status}) => ({path, status}));
}
