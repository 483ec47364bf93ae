import slugify from '@sindresorhus/slugify';
import {cacheControl, FREE_FOLDERS, JSON_TYPE, PUBLIC, WRANGLER_FILE, SITE_FILE} from '../../shared/paths.ts';
import {encode} from '../../shared/encode.ts';
import {headerPolicy} from '../pages/assets.ts';
import type {PlainSite, Site} from '../read/site.ts';
import type {Host, Hosted} from './host.ts';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {refuse} from '../../shared/fault.ts';
import {readNow} from '../disk/known-file.ts';

/** Of the Workers runtime: a later date may change how it behaves. */
const COMPATIBILITY_DATE = '2026-04-01';
const NAME_MAX_LENGTH = 54;

/**
 * Cloudflare: a Worker with static assets (`paywall/hosts/worker.ts`), which bundles the rules of the site as `#rules`. The lists stay
 * as short with a thousand products as with one: `run_worker_first` and `_headers` take 100 rules each.
 */
export default {
  name: 'cloudflare',
  mostBytes: 25 * 1024 * 1024,

  compose({site, pages}) {
    const config = encode(wranglerConfig(workerName(site)));
    return {
      files: new Map([
        [WRANGLER_FILE, config],
        [`${PUBLIC}/_headers`, headersOf(pages)],
      ]),
    };
  },
} satisfies Host;

/** The name of the Worker. Its ledger belongs to the name. */
function workerName({title, worker}: Pick<PlainSite, 'title' | 'worker'>): string {
  return worker ?? (slugify(title).slice(0, NAME_MAX_LENGTH).replace(/-+$/, '') || 'snapshots');
}

function wranglerConfig(name: string) {
  return {
    name,
    main: '../hosts/worker.ts',
    // From the folder that wrangler runs in. Its option `--alias` is not heeded where a Worker is deployed.
    alias: {'#rules': './rules.json'},
    compatibility_date: COMPATIBILITY_DATE,
    // The second: a buyer who hangs up is known.
    compatibility_flags: ['nodejs_compat', 'enable_request_signal'],
    assets: {
      directory: '../../public',
      binding: 'ASSETS',
      // No redirect from, and no page in place of, a path of the API.
      html_handling: 'auto-trailing-slash',
      not_found_handling: '404-page',
      // All but what is free runs the Worker, so a path that no rule names is 404 and never leaks.
      run_worker_first: ['/api/v1/*', '!/api/v1/index.json', ...FREE_FOLDERS.map(folder => `!/api/v1/${folder}/*`)],
    },
    // The books are compared with the chain every minute.
    triggers: {crons: ['* * * * *']},
    durable_objects: {bindings: [{name: 'LEDGER', class_name: 'LedgerObject'}]},
    // Applied once each, by tag: one that was deployed is never changed.
    migrations: [{tag: 'ledger', new_sqlite_classes: ['LedgerObject']}],
  };
}

/**
 * For assets alone, which are free: what the Worker answers sets its own headers. The first rule gives assets the headers of the gate;
 * without it Cloudflare sends `max-age=0`. A header of two rules is sent twice, so no other rule repeats one. `:name` is one segment, so
 * it spares the samples. Pages get their content type, which a name without an extension does not tell; `/` answers for the page of HTML.
 */
function headersOf(pages: Hosted['pages']): string {
  const typed = pages.filter(({type}) => !type.startsWith('text/html'));
  const rules = [
    [
      '/*',
      'X-Content-Type-Options: nosniff',
      'Access-Control-Allow-Origin: *',
      'Access-Control-Expose-Headers: PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, Link, ETag',
      // For the 405 to OPTIONS and others, which names no methods by itself; any answer may carry it (RFC 9110, 10.2.1).
      'Allow: GET, HEAD',
      `Cache-Control: ${cacheControl.free}`,
      `Content-Security-Policy: ${headerPolicy}`,
    ],
    ['/api/v1/:name', `Content-Type: ${JSON_TYPE}`],
    ...typed.map(({path, type}) => [path, `Content-Type: ${type}`]),
  ];
  return rules.map(([path, ...headers]) => [path, ...headers.map(header => `  ${header}`), ''].join('\n')).join('\n');
}

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
