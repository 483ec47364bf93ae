import {PUBLIC, RULES, RULES_FILE} from '../../shared/paths.ts';
import type {Rules, Sites} from './catalogue.ts';
import {joined} from './compare.ts';
import type {FileChange, HostReview, RuleChange} from './report.ts';
import type {State} from './state.ts';

/** Rules that came, went or changed path, method or price: the one truth that every host's rules derive from. */
export function ruleChanges({before, after}: Sites): RuleChange[] {
  const byName = ({rules}: Rules) => new Map(rules.map(({name, method, path, price}) => [name, {method, path, price}]));
  return joined(byName(before.rules), byName(after.rules)).map(({key: name, status, before: was, after: is}) => ({
    name,
    status,
    path: {before: was?.path, after: is?.path},
    price: {before: was?.price, after: is?.price},
  }));
}

/** Each host's rule files, changed or not; files that no host names are listed as `other`. */
export function hostReviews({before, after}: Sites): HostReview[] {
  const [was, is] = [before, after].map(({rules}) => new Map(Object.entries(rules.hosts)));
  if (!was || !is) return [];
  const filesOf = (paths: Iterable<string>) => changesOf(paths, before.state, after.state);
  const hosts = joined(was, is).map(({key: host, status, before: old = [], after: now = []}): HostReview => {
    const files = filesOf([...now, ...old]);
    const same = files.every(file => file.status === 'unchanged');
    return {host, files, status: status === 'added' || status === 'removed' ? status : same ? 'unchanged' : 'changed'};
  });
  const named = new Set([RULES_FILE, ...[...was.values(), ...is.values()].flat()]);
  const others = [...after.state.ids.keys(), ...before.state.ids.keys()]
    .filter(path => path.startsWith(`${RULES}/`) && !named.has(path))
    .sort();
  const rest = filesOf(others).filter(isChanged);
  return rest.length > 0 ? [...hosts, {host: 'other', status: 'changed', files: rest}] : hosts;
}

/** Free files that belong to no product and that changed: pages, `serve.json`, … */
export function fileChanges({before, after}: Sites): FileChange[] {
  const listed = [...after.catalogue.files, ...before.catalogue.files].map(({path}) => PUBLIC + path);
  return changesOf(listed, before.state, after.state).filter(isChanged);
}

/** The files at these paths, as far as one of the states has them. */
function changesOf(paths: Iterable<string>, before: State, after: State): FileChange[] {
  const unique = [...new Set(paths)];
  const idsOf = ({ids}: State) => new Map(unique.flatMap(path => (ids.has(path) ? [[path, ids.get(path)]] : [])));
  return joined(idsOf(before), idsOf(after)).map(({key: path, status}) => ({path, status}));
}

function isChanged({status}: FileChange): boolean {
  return status !== 'unchanged';
}
