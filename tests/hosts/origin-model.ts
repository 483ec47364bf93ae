import {decodeOnce, normalizePath} from './waf-evaluator.ts';
import type {Behavior, DistributionConfig} from './template.ts';

/**
 * The key S3 looks up: CloudFront hands it the path as spelled, S3 decodes it once and collapses nothing. A target
 * that is no path is no request at all, and has the key of nothing.
 */
export function keyInS3(target: string, {DefaultRootObject}: DistributionConfig): string {
  const path = pathOf(target);
  if (!path.startsWith('/')) return '';
  return path === '/' ? DefaultRootObject : decodeOnce(path).slice(1);
}

/**
 * Every key that some server between the client and the bucket could make of a target: decoded none, one, two or
 * three times, with `\` for `/`, cut at `;`, `#` or a control character, with `//` and dot segments collapsed, with a
 * trailing slash, dot or space dropped. Far more than CloudFront and S3 are known to do.
 */
export function conceivableKeys(target: string): Set<string> {
  const rewritings = [decodeOnce, slashed, cut, normalizePath, trimmed, repaired];
  const paths = new Set([pathOf(target), target.split('?')[0] ?? '']);
  // A set yields what is added while it is walked; three decodings and one of each other rewriting are reached.
  for (const path of paths) for (const rewrite of rewritings) paths.add(rewrite(path));
  return new Set([...paths].map(path => path.replace(/^\/+/, '')));
}

const slashed = (path: string) => path.replaceAll('\\', '/');
const cut = (path: string) => path.split(/[;#?\0-\x1f]/)[0] ?? '';
const trimmed = (path: string) => path.replace(/[/.\s]+$/, '');
const repaired = (path: string) => path.replace(/^[a-z]+:\/\/[^/]*/i, '');

/** The path of an origin-form or absolute-form target. */
function pathOf(target: string): string {
  return repaired(target).split(/[?#]/)[0] ?? '';
}

/** The cache behaviour CloudFront picks: the first pattern that matches, else the default one. */
export function behaviorFor(path: string, config: DistributionConfig): Behavior {
  const matching = config.CacheBehaviors.find(({PathPattern}) => globMatches(PathPattern ?? '*', path));
  return matching ?? config.DefaultCacheBehavior;
}

/** CloudFront's patterns: `*` is any run of characters, `?` one character, the case counts. */
function globMatches(pattern: string, path: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(path);
}

/** A request target in origin form (RFC 9112): what a client sends that does not try to confuse the parsers on the way. */
export const isOriginForm = (target: string): boolean => /^\/[^#]*$/.test(target);

/** What AWS WAF may see as the path of a target: as spelled, without scheme and host, without fragment. */
export function viewsOf(target: string): string[] {
  const local = repaired(target);
  return [...new Set([target, local, local.split('#')[0] ?? ''])];
}
