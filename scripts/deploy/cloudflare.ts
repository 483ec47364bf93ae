import {createRequire} from 'node:module';
import {cp, mkdtemp, readFile, rm, symlink} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {PUBLIC, RULES, WRANGLER_FILE} from '../../shared/paths.ts';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {needing} from '../terminal/optional.ts';
import {commandAt, complaintIn, programEnv, type Command} from '../programs/command.ts';
import {deployables, unlistedNote} from './files.ts';
import type {Deployment} from './plan.ts';

const WORKER = fileURLToPath(new URL('../../paywall/hosts/worker.ts', import.meta.url));

/**
 * Deploys to Cloudflare: the gate as a Worker with `public/` as its assets, as one version that replaces the last. Wrangler compares the
 * assets by digest and uploads only missing ones.
 */
export async function toCloudflare(root: string, site: OpenSite): Promise<Deployment> {
  const worker = await dryRun(root);
  const files = await deployables(root, site);
  const {name} = JSON.parse(await readFile(join(root, WRANGLER_FILE), 'utf8')) as {readonly name: string};
  return {
    plan: {
      to: `the Worker ${name} on Cloudflare`,
      uploads: files.map(file => ({change: 'changed', file})),
      deletes: [],
      invalidations: [],
      unchanged: [],
      leftOut: [],
      notes: [
        worker,
        'docs/hosts/cloudflare.md lists the secrets of the Worker, which stay from one deployment to the next',
        'wrangler compares these with what Cloudflare has, and uploads only what differs',
        ...(await unlistedNote(root, files, 'uploaded by wrangler')),
      ],
    },
    wasDeployed: undefined,
    async carryOut(report) {
      report(await deploy(root));
    },
  };
}

async function dryRun(root: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  try {
    return await bundleWorker(root, folder);
  } finally {
    await rm(folder, {recursive: true});
  }
}

/**
 * Bundles the Worker with the rules of a site into a folder and reads its assets, without the network (`wrangler deploy --dry-run`).
 * Resolves with the output of wrangler, such as the size.
 */
export async function bundleWorker(root: string, folder: string, worker = WORKER): Promise<string> {
  // Wrangler writes next to its configuration and to the user's home, so both are in the temporary folder.
  const site = join(folder, 'site');
  await cp(join(root, RULES), join(site, RULES), {recursive: true});
  await symlink(join(root, PUBLIC), join(site, PUBLIC), 'junction');
  const home = {HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: folder};
  return deploy(site, ['--dry-run', '--outdir', folder], worker, home);
}

/** Throws `InputError` if wrangler is not installed, or, to deploy, if its token is missing. */
export async function requireWrangler({acts = false}: {readonly acts?: boolean | undefined}): Promise<void> {
  const wrangler = await findWrangler({});
  if (!acts || process.env['CLOUDFLARE_API_TOKEN']) return;
  const {out} = await wrangler(['whoami']);
  if (!out.includes('not authenticated')) return;
  const fix = 'Set CLOUDFLARE_API_TOKEN, or run `npx --no-install wrangler login`.';
  throw wrongUsage({code: 'FZ903', subject: 'The token of Cloudflare', rule: 'is missing', fix});
}

/** Runs `wrangler deploy` and returns its output as one line, such as the address of the Worker. */
async function deploy(
  root: string,
  more: readonly string[] = [],
  worker = WORKER,
  home: NodeJS.ProcessEnv = {},
): Promise<string> {
  const wrangler = await findWrangler(home);
  const rules = join(root, RULES);
  // Runs in the folder of the rules, so that the configuration finds them.
  const args = ['deploy', worker, '--config', join(rules, 'wrangler.jsonc'), '--minify', ...more];
  const said = await wrangler(args, {cwd: rules});
  if (!said.ok) throw new InputError({code: 'FZ409', subject: 'wrangler deploy', rule: `failed: ${complaintIn(said)}`});
  const lines = said.out.split('\n').map(line => line.trim());
  const shownLines = lines.filter(line => /^(Total Upload:|https:\/\/|Current Version ID:)/.test(line));
  return `wrangler: ${withShownAddresses(shownLines.join(', ')) || 'done'}`;
}

async function findWrangler(home: NodeJS.ProcessEnv): Promise<Command> {
  const path = await needing(['wrangler'], () => createRequire(import.meta.url).resolve('wrangler/bin/wrangler.js'));
  // CLOUDFLARE_ENV and WRANGLER_CI_OVERRIDE_NAME rename the Worker, which would have an empty ledger. CI=1 prevents interactive questions.
  const env = programEnv('CLOUDFLARE_(?!ENV$).*|CF_.*|WRANGLER_(?!CI_).*');
  return commandAt(process.execPath, [path], {...env, ...home, CI: '1', WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1'});
}
