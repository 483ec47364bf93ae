import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import type {OpenSite} from '../paywall/open-site.ts';
import type {Deployment} from './deploy/plan.ts';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const HELP = `Deploys public/ to a host. A dry run by default: it says what would be uploaded, deleted and invalidated.
Refuses what is not committed, not what data/ gives, not verified, or would give a paid document away.

Usage: npm run deploy -- s3 --bucket NAME [options]
       npm run deploy -- cloudflare [options]
       npm run deploy -- github-pages [options]

Options:
  --yes              do it
  --dirty            deploy what is not committed
  --root DIR         the folder that holds data/, public/ and paywall/rules/ (default: this project)
  --json             the plan for programs on standard output
  --help             this text

s3, with region and credentials where the AWS command line has them, too:
  --bucket NAME      the private bucket of paywall/rules/aws.template.json
  --distribution ID  the CloudFront distribution in front of it: free documents that changed are invalidated there
  --endpoint-url URL another service that speaks S3
  --private-bucket   where the service does not tell: you vouch that nobody reads the bucket without paying

cloudflare, with wrangler and CLOUDFLARE_API_TOKEN.

github-pages, with git; the free documents only:
  --remote NAME|URL  where to push (default: origin)
  --branch NAME      what to push (default: gh-pages)

Exit codes: 0 fine, 1 refused or failed, 2 wrong usage.

Example: npm run deploy -- s3 --bucket my-snapshots --distribution E2EXAMPLE --yes
`;

const options = {
  yes: {type: 'boolean', default: false},
  dirty: {type: 'boolean', default: false},
  root: {type: 'string', default: resolve(import.meta.dirname, '..')},
  json: {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
  bucket: {type: 'string'},
  distribution: {type: 'string'},
  'endpoint-url': {type: 'string'},
  'private-bucket': {type: 'boolean'},
  remote: {type: 'string'},
  branch: {type: 'string'},
} as const;

/** The options that one host takes and no other. */
const OF_HOSTS = [
  ['s3', ['bucket', 'distribution', 'endpoint-url', 'private-bucket']],
  ['github-pages', ['remote', 'branch']],
] as const;

/** The names of hosts here and in the rules. */
const HOSTS = {s3: 'aws', cloudflare: 'cloudflare', 'github-pages': 'github-pages'} as const;
type HostName = keyof typeof HOSTS;

/** Exit code: 0 fine, 1 refused or failed, 2 wrong usage. */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  standWhereCalled('deploy');
  endWithoutOutput();
  let flags: ReturnType<typeof read>;
  try {
    flags = read(args);
  } catch (error) {
    process.stderr.write(wrongUsage(error));
    return 2;
  }
  if (flags === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  return run(flags.host, flags.values);
}

type Values = ReturnType<typeof parse>['values'];

async function run(host: HostName, values: Values): Promise<0 | 1> {
  // Loaded here so that --help does not wait for them.
  const [{InputError}, {preflight}, {planForPrograms, planText}, {isDone}, {faultLines, faultsForPrograms}] =
    await Promise.all([
      import('../shared/fault.ts'),
      import('./deploy/preflight.ts'),
      import('./deploy/report.ts'),
      import('./deploy/plan.ts'),
      import('./terminal/faults.ts'),
    ]);
  const {root} = values;
  try {
    const site = await preflight({root, host: HOSTS[host], dirty: values.dirty});
    const chosen = await deployment(host, root, site, values);
    const {plan} = chosen;
    const acts = values.yes && !isDone(plan);
    if (acts) await chosen.carryOut(step => process.stderr.isTTY && process.stderr.write(`${step}\n`));
    const text = values.json ? JSON.stringify(planForPrograms(plan, acts), null, 2) : planText(plan, acts);
    process.stdout.write(`${text}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (values.json) process.stdout.write(`${JSON.stringify(faultsForPrograms(error), null, 2)}\n`);
    process.stderr.write(`${faultLines(error)}\n`);
    return 1;
  }
}

async function deployment(host: HostName, root: string, site: OpenSite, values: Values): Promise<Deployment> {
  switch (host) {
    case 's3': {
      const {toS3} = await import('./deploy/s3.ts');
      const {bucket = '', distribution, 'endpoint-url': endpoint, 'private-bucket': vouched = false} = values;
      return toS3(root, site, {bucket, distribution, endpoint, vouched});
    }
    case 'cloudflare': {
      const {toCloudflare} = await import('./deploy/cloudflare.ts');
      return toCloudflare(root, site);
    }
    case 'github-pages': {
      const {toGithubPages} = await import('./deploy/github-pages.ts');
      const {remote = 'origin', branch = 'gh-pages'} = values;
      return toGithubPages(root, site, {remote, branch});
    }
  }
}

/** The host and the flags. Throws where they are wrong. */
function read(args: string[]): 'help' | {host: HostName; values: Values} {
  const {values, positionals} = parse(args);
  if (values.help) return 'help';
  const [host, ...more] = positionals;
  if (!isHost(host) || more.length > 0) throw new Error(`Name one host: ${Object.keys(HOSTS).join(', ')}.`);
  if (host === 's3' && values.bucket === undefined) throw new Error('s3 needs --bucket.');
  for (const [owner, flags] of OF_HOSTS) {
    const foreign = flags.find(flag => values[flag] !== undefined);
    if (host !== owner && foreign !== undefined) throw new Error(`--${foreign} is for ${owner} alone.`);
  }
  return {host, values: {...values, root: rootFolder(values.root)}};
}

function parse(args: string[]) {
  return parseArgs({args, options, allowPositionals: true});
}

function isHost(name: string | undefined): name is HostName {
  return name !== undefined && Object.hasOwn(HOSTS, name);
}
