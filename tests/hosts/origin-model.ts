import {decodeOnce, normalizePath} from './waf-evaluator.ts';
import type {Behavior, DistributionConfig} from './template.ts';

/**
 * Returns the key that S3 looks up: CloudFront forwards the path as spelled, and S3 decodes it once and collapses
 * nothing. A target that is not a path gets a key that does not exist.
 */
export function keyInS3(target: string, {DefaultRootObject}: DistributionConfig): string {
  const path = pathOf(target);
  if (!path.startsWith('/')) return '';
  return path === '/' ? DefaultRootObject : decodeOnce(path).slice(1);
}

/**
 * Returns every key that a server between the client and the bucket could make from a target: decoded up to three
 * times, with `\` replaced by `/`, cut at `;`, `#` or a control character, with `//` and dot segments collapsed, and
 * without a trailing slash, dot or space. CloudFront and S3 are known to do far less.
 */
export function conceivableKeys(target: string): Set<string> {
  const rewritings = [decodeOnce, slashed, cut, normalizePath, trimmed, repaired];
  const paths = new Set([pathOf(target), target.split('?')[0] ?? '']);
  // Iterating over a set includes the members that are added meanwhile. So up to three decodings and one of each other
  // rewriting are tried.
  for (const path of paths) for (const rewrite of rewritings) paths.add(rewrite(path));
  return new Set([...paths].map(path => path.replace(/^\/+/, '')));
}

const slashed = (path: string) => path.replaceAll('\\', '/');
const cut = (path: string) => path.split(/[;#?\0-\x1f]/)[0] ?? '';
const trimmed = (path: string) => path.replace(/[/.\s]+$/, '');
const repaired = (path: string) => path.replace(/^[a-z]+:\/\/[^/]*/i, '');

/** Returns the path of a target in origin form or absolute form. */
function pathOf(target: string): string {
  return repaired(target).split(/[?#]/)[0] ?? '';
}

/** Returns the cache behaviour that CloudFront uses: the first with a matching pattern, otherwise the default one. */
export function behaviorFor(path: string, config: DistributionConfig): Behavior {
  const matching = config.CacheBehaviors.find(({PathPattern}) => globMatches(PathPattern ?? '*', path));
  return matching ?? config.DefaultCacheBehavior;
}

/** Matches CloudFront's patterns: `*` matches any characters, `?` matches one character. They are case-sensitive. */
function globMatches(pattern: string, path: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(path);
}

/** Returns true for a target in origin form (RFC 9112), which all clients send that do not try to confuse parsers. */
export const isOriginForm = (target: string): boolean => /^\/[^#]*$/.test(target);

/** Returns the paths that AWS WAF may see for a target: as spelled, without scheme and host, and without fragment. */
export function viewsOf(target: string): string[] {
  const local = repaired(target);
  return [...new Set([target, local, local.split('#')[0] ?? ''])];
}
