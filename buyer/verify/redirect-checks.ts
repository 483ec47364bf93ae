import {counted} from '../../shared/counted.ts';
import {paths} from '../../shared/paths.ts';
import {soldBy, type Catalogue} from '../../shared/shapes.ts';
import {listedPaths, paidPaths} from './catalogue.ts';
import {unchecked, verdict, type Check} from './check.ts';
import {holds} from './leak-checks.ts';
import {pathsThrough, redirectFaults, REDIRECTS, redirectsIn, type Reach} from './redirects.ts';
import {NoAnswer, type Web} from './web.ts';

/** The maximum number of requests for the rules of one file. */
const MOST_REQUESTS = 2500;
const AT_ONCE = 8;

/** Checks `_redirects` in a folder: no rule may bypass the gate to a paid document. */
export function redirectFileChecks(text: string | undefined, catalogue: Catalogue): Check[] {
  if (text === undefined) return [];
  const faults = redirectFaults(text, reachOf(catalogue)).map(({line, rule}) => `line ${line} ${rule}`);
  return verdict('redirects', REDIRECTS, faults, 'no rule leads to a paid document past the gate');
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
  const targets = targetsOf(text, paidPaths(catalogue));
  const asked = targets.slice(0, MOST_REQUESTS);
  const digests = new Set(catalogue.products.flatMap(soldBy).map(({sha256}) => sha256));
  const faults: string[] = [];
  for (let at = 0; at < asked.length && !until.aborted; at += AT_ONCE) {
    const group = asked.slice(at, at + AT_ONCE).map(target => faultsAt(web, target, digests));
    faults.push(...(await Promise.all(group)).flat());
  }
  return [
    ...verdict('redirects', REDIRECTS, faults, `${counted(asked.length, 'path')} of its rules give nothing away`),
    ...(targets.length > asked.length ? [unchecked('redirects', REDIRECTS, 'further paths of its rules')] : []),
  ];
}

/** Returns the paths to request, and one more if the limit is exceeded. */
function targetsOf(text: string, wanted: readonly string[]): string[] {
  const targets = new Set<string>();
  for (const rule of redirectsIn(text).rules) {
    for (const target of pathsThrough(rule, wanted)) {
      targets.add(target);
      if (targets.size > MOST_REQUESTS) return [...targets];
    }
  }
  return [...targets];
}

async function faultsAt(web: Web, target: string, digests: ReadonlySet<string>): Promise<string[]> {
  const answer = await web.ask({target});
  if (answer instanceof NoAnswer || !holds(answer.bytes, digests)) return [];
  return [`${target} answers ${answer.status} with a paid document, to who does not pay`];
}
