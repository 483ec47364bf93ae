import slugify from '@sindresorhus/slugify';
import {cacheControl, FREE_FOLDERS, JSON_TYPE, PUBLIC, WRANGLER_FILE, SITE_FILE} from '../../shared/paths.ts';
import {encode} from '../../shared/encode.ts';
import {headerPolicy} from '../pages/assets.ts';
import type {PlainSite, Site} from '../read/site.ts';
import type {Host, Hosted} from './host.ts';
import {existsSync} from 'node:fs';
import {refuse} from '../../shared/fault.ts';
import {readNow} from '../disk/known-file.ts';

/** The version of the Workers runtime. A later date may change its behavior. */
const COMPATIBILITY_DATE = '2026-04-01';
const NAME_MAX_LENGTH = 54;

/**
 * Cloudflare: a Worker with static assets (`paywall/hosts/worker.ts`), which bundles the rules of the site as `#rules`. `run_worker_first`
 * and `_headers` take 100 rules each, so the number of rules must not depend on the number of products.
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

/** The name of the Worker, which its ledger is bound to. */
function workerName({title, worker}: Pick<PlainSite, 'title' | 'worker'>): string {
  return worker ?? (slugify(title).slice(0, NAME_MAX_LENGTH).replace(/-+$/, '') || 'snapshots');
}

function wranglerConfig(name: string) {
  return {
    name,
    main: '../hosts/worker.ts',
    // Relative to the folder in which wrangler runs. `wrangler deploy` ignores its option `--alias`.
    alias: {'#rules': './rules.json'},
    compatibility_date: COMPATIBILITY_DATE,
    // `enable_request_signal` reports that a buyer has disconnected.
    compatibility_flags: ['nodejs_compat', 'enable_request_signal'],
    assets: {
      directory: '../../public',
      binding: 'ASSETS',
      // No redirects and no HTML pages for paths of the API.
      html_handling: 'auto-trailing-slash',
      not_found_handling: '404-page',
      // The Worker handles every path that is not free. A path without a rule is 404, so a document is never exposed.
      run_worker_first: ['/api/v1/*', '!/api/v1/index.json', ...FREE_FOLDERS.map(folder => `!/api/v1/${folder}/*`)],
    },
    // Reconcile the ledger with the chain every minute.
    triggers: {crons: ['* * * * *']},
    durable_objects: {bindings: [{name: 'LEDGER', class_name: 'LedgerObject'}]},
    // Each is applied once, by tag. Never change one that was deployed.
    migrations: [{tag: 'ledger', new_sqlite_classes: ['LedgerObject']}],
  };
}

/**
 * Headers of assets, which are free; the Worker sets its own headers. The first rule sends the headers of the gate, because Cloudflare's
 * default is `max-age=0`. A header in two matching rules is sent twice, so no other rule repeats one. `:name` matches one segment, so
 * samples do not match. Pages need a content type because their names may lack an extension; `/` serves the HTML page.
 */
function headersOf(pages: Hosted['pages']): string {
  const typed = pages.filter(({type}) => !type.startsWith('text/html'));
  const rules = [
    [
      '/*',
      'X-Content-Type-Options: nosniff',
      'Access-Control-Allow-Origin: *',
      'Access-Control-Expose-Headers: PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, Link, ETag',
      // For 405 responses to OPTIONS and others, which Cloudflare sends without it. Any response may have it (RFC 9110, 10.2.1).
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
 * Throws `InputError` if the Cloudflare Worker has another name than in the last build. Cloudflare would start a second Worker with an
 * empty ledger, and buyers who have paid would be charged again.
 * @param config the file that the last build wrote
 */
export function refuseOtherWorker(config: string, site: Site): void {
  const former = previousName(config);
  const name = workerName(site);
  if (former === undefined || former === name) return;
  const rule = `renames the Cloudflare Worker to "${name}", which would start with an empty ledger`;
  const fix = `Set "worker": "${former}" to keep it. To start a new ledger on purpose, delete ${WRANGLER_FILE} first.`;
  const [field, value] = site.worker === undefined ? ['title', site.title] : ['worker', site.worker];
  refuse([{code: 'FZ206', file: SITE_FILE, field, value, rule, fix}]);
}

/** Returns the name in the file of the last build, or undefined without a valid file. */
function previousName(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return (JSON.parse(readNow(file).toString()) as {readonly name?: string} | null)?.name;
  } catch {
    return undefined;
  }
}
