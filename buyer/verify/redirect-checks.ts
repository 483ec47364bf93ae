import {counted} from '../../shared/counted.ts';
import {paths} from '../../shared/paths.ts';
import {soldBy, type Catalogue} from '../../shared/shapes.ts';
import {listedPaths, paidPaths} from './catalogue.ts';
import {unchecked, verdict, type Check} from './check.ts';
import {containsPaid} from './leak-checks.ts';
import {pathnameOf, redirectFaults, REDIRECTS, redirectsIn, type Reach} from './redirects.ts';
import {NoAnswer, type Web} from './web.ts';

const AT_ONCE = 8;

/** Checks `_redirects` in a folder: no rule may bypass the gate to a paid document. */
export function redirectFileChecks(text: string | undefined, catalogue: Catalogue): Check[] {
  if (text === undefined) return [];
  const faults = redirectFaults(text, reachOf(catalogue)).map(({line, rule}) => `line ${line} ${rule}`);
  return verdict('redirects', REDIRECTS, faults, 'no rule bypasses the gate to a paid document');
}

/** Returns the free paths of a catalogue, and those that the gate reads. */
export function reachOf(catalogue: Catalogue): Reach {
  const paid = new Set(paidPaths(catalogue));
  const free = new Set([paths.catalogue, ...listedPaths(catalogue)].filter(path => !paid.has(path)));
  return {free, gated: [paths.catalogue, ...paid]};
}

/** Tries all rules of `_redirects` on a live site: no answer may contain a paid document. */
export async function redirectAttempts(
  web: Web,
  text: string,
  catalogue: Catalogue,
  until: AbortSignal,
): Promise<Check[]> {
  const {rules, faults: invalid} = redirectsIn(text);
  const targets = [...new Set(rules.map(({from}) => pathnameOf(from)))];
  const digests = new Set(catalogue.products.flatMap(soldBy).map(({sha256}) => sha256));
  const faults: string[] = [];
  for (let at = 0; at < targets.length && !until.aborted; at += AT_ONCE) {
    const group = targets.slice(at, at + AT_ONCE).map(target => faultsAt(web, target, digests));
    faults.push(...(await Promise.all(group)).flat());
  }
  return [
    ...verdict(
      'redirects',
      REDIRECTS,
      faults,
      `${counted(targets.length, 'path')} of its rules reveal no paid document`,
    ),
    ...(invalid.length > 0
      ? [unchecked('redirects', REDIRECTS, `${counted(invalid.length, 'line')} of its rules`)]
      : []),
  ];
}

async function faultsAt(web: Web, target: string, digests: ReadonlySet<string>): Promise<string[]> {
  const answer = await web.ask({target});
  if (answer instanceof NoAnswer || !containsPaid(answer.bytes, digests)) return [];
  return [`${target} answers ${answer.status} with a paid document, without payment`];
}
