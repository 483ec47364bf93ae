import {join} from 'node:path';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {refuse} from '../../shared/fault.ts';
import {PUBLIC} from '../../shared/paths.ts';
import {textIfThere} from '../../buyer/verify/bounded-file.ts';
import {reachOf} from '../../buyer/verify/redirect-checks.ts';
import {redirectFaults, REDIRECTS} from '../../buyer/verify/redirects.ts';
import {MAX_BYTES} from '../../buyer/verify/bounds.ts';

/**
 * Refuses a `_redirects` that maps one path to the asset of another, which bypasses the Worker and its gate, or that hides a file that the
 * gate reads. Only Cloudflare applies this file.
 */
export async function refuseRewrites(root: string, {catalogue}: OpenSite): Promise<void> {
  const file = PUBLIC + REDIRECTS;
  const text = await textIfThere(join(root, file), MAX_BYTES);
  if (text === undefined) return;
  const fix = 'Correct or remove the rule. Write one rule for each path, without placeholders.';
  refuse(redirectFaults(text, reachOf(catalogue)).map(fault => ({code: 'FZ403' as const, file, ...fault, fix})));
}
