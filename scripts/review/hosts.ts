import {RULES_FILE} from '../../shared/paths.ts';
import type {Rules, Site} from './catalogue.ts';
import {presence, type FileChange, type HostReview, type RuleChange} from './report.ts';
import type {State} from './state.ts';

/** Rules that came, went or changed path, method or price: the one truth that every host's rules derive from. */
export function ruleChanges(base: Rules, head: Rules): RuleChange[] {
  const [was, is] = [base, head].map(({rules}) => new Map(rules.map(rule => [rule.name, rule])));
  const names = [...new Set([...(is?.keys() ?? []), ...(was?.keys() ?? [])])];
  return names.map(name => {
    const both = {before: was?.get(name), after: is?.get(name)};
    const path = {before: both.before?.path, after: both.after?.path};
    const price = {before: both.before?.price, after: both.after?.price};
    const same =
      path.before === path.after && price.before === price.after && both.before?.method === both.after?.method;
    return {name, status: presence(both, same), path, price};
  });
}

/** Each host's rule files, changed or not; files that no host names are listed as `other`. */
export function hostReviews(base: Site, head: Site): HostReview[] {
  const [was, is] = [base.rules.hosts, head.rules.hosts];
  const named = new Set([RULES_FILE, ...Object.values(was).flat(), ...Object.values(is).flat()]);
  const others = pathsOf(base.state, head.state).filter(path => path.startsWith('paywall/rules/') && !named.has(path));
  const hosts = [...new Set([...Object.keys(is), ...Object.keys(was)])].map(host => {
    const [before, after] = [own(was, host), own(is, host)];
    const files = changesOf([...new Set([...(after ?? []), ...(before ?? [])])], base.state, head.state);
    return {
      host,
      files,
      status: presence(
        {before, after},
        files.every(({status}) => status === 'unchanged'),
      ),
    };
  });
  const rest = changesOf(others, base.state, head.state).filter(({status}) => status !== 'unchanged');
  return rest.length > 0 ? [...hosts, {host: 'other', status: 'changed', files: rest}] : hosts;
}

/** Free files that belong to no product and that changed: pages, `serve.json`, … */
export function fileChanges(base: Site, head: Site): FileChange[] {
  const listed = new Set([...head.catalogue.files, ...base.catalogue.files].map(({path}) => `public${path}`));
  return changesOf([...listed], base.state, head.state).filter(({status}) => status !== 'unchanged');
}

function changesOf(paths: readonly string[], base: State, head: State): FileChange[] {
  const inEither = paths.filter(path => base.ids.has(path) || head.ids.has(path));
  return inEither.map(path => {
    const both = {before: base.ids.get(path), after: head.ids.get(path)};
    return {path, status: presence(both, both.before === both.after)};
  });
}

function pathsOf(base: State, head: State): string[] {
  return [...new Set([...head.ids.keys(), ...base.ids.keys()])].sort();
}

function own(hosts: Rules['hosts'], host: string): readonly string[] | undefined {
  return Object.hasOwn(hosts, host) ? hosts[host] : undefined;
}
