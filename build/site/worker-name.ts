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
  const value = workerName(site);
  if (former === undefined || former === value) return;
  const rule =
    `names another Cloudflare Worker than the last build, whose ledger would be empty: set "worker": "${former}". ` +
    `To start a new ledger on purpose, delete ${WRANGLER_FILE} first`;
  refuse([{file: SITE_FILE, field: site.worker === undefined ? 'title' : 'worker', value, rule}]);
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
