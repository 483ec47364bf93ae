import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {refuse} from '../../shared/fault.ts';
import {SITE_FILE, WRANGLER_FILE} from '../../shared/paths.ts';
import {readNow} from '../disk/known-file.ts';
import {workerName} from '../hosts/cloudflare.ts';
import type {Site} from '../read/site.ts';

/**
 * Refuses another name of the Cloudflare Worker than the last build wrote. Cloudflare would start a second Worker under that name, with an
 * empty ledger: buyers who have paid would be charged again.
 */
export function refuseOtherWorker(root: string, site: Site): void {
  const former = formerName(join(root, WRANGLER_FILE));
  const name = workerName(site);
  if (former === undefined || former === name) return;
  const rule =
    `renames the Cloudflare Worker to "${name}", which would start with an empty ledger: set "worker": "${former}" to keep it. ` +
    `To start a new ledger on purpose, delete ${WRANGLER_FILE} first`;
  const [field, value] = site.worker === undefined ? ['title', site.title] : ['worker', site.worker];
  refuse([{file: SITE_FILE, field, value, rule}]);
}

/** Returns the name in the file of the last build, or undefined if there is no valid file. */
function formerName(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readNow(file).toString()) as {readonly name?: string} | null)?.name;
  } catch {
    return undefined;
  }
}
