import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {SIGNATURE_FILE} from '../shared/paths.ts';
import type {Deployment} from './deploy/plan.ts';
import type {Ready} from './deploy/preflight.ts';
import {needing} from './terminal/optional.ts';
import {helpEnd} from './help/help-end.ts';
import {collected, jsonOption, rootOption, signingKeyOption, type Run, type Terminal} from './terminal/command.ts';

export const deploy = (run: Run) =>
  new Command('deploy')
    .summary('deploy public/ to a host')
    .description(
      `Deploys public/ to a host. By default it is a dry run, which shows what would be uploaded, deleted and invalidated. A site is refused if it is not committed, differs from what the build writes, fails a check, is not signed although it has a signing key, would publish a paid document for free, or breaks a promise to buyers of the live site.`,
    )
    .addCommand(
      host('s3', '--bucket my-snapshots --distribution E2EXAMPLE --yes')
        .summary('a private S3 bucket, behind CloudFront')
        .description(
          'Deploys to S3. Region and credentials are read from the same places as those of the AWS command line.',
        )
        .requiredOption('--bucket <name>', 'the private bucket named in paywall/rules/aws.template.json')
        .option(
          '--distribution <id>',
          'the CloudFront distribution of the bucket, in which changed free documents are invalidated',
        )
        .option('--endpoint-url <url>', 'the address of another service with the API of S3')
        .option('--private-bucket', 'confirm that the bucket is not public, for a service that cannot report this')
        .addOption(replaceSiteOption())
        .action(
          ({bucket, distribution, endpointUrl: endpoint, privateBucket: isConfirmedPrivate = false, ...options}) =>
            run(options, terminal =>
              deployed('aws', options, terminal, async root => {
                const [{openAws}, {toS3}] = await needing(AWS_CLIENTS, () =>
                  Promise.all([import('./deploy/aws.ts'), import('./deploy/s3.ts')]),
                );
                const aws = await openAws(endpoint);
                return ({site}) =>
                  toS3(aws, root, site, {bucket, distribution, isConfirmedPrivate, replaces: options.replaceSite});
              }),
            ),
        ),
    )
    .addCommand(
      host('cloudflare', '--yes')
        .summary('Cloudflare Workers')
        .description('Deploys the gate and public/ as a Worker, with wrangler and CLOUDFLARE_API_TOKEN.')
        .action(options =>
          run(options, terminal =>
            deployed('cloudflare', options, terminal, async root => {
              const {requireWrangler, toCloudflare} = await import('./deploy/cloudflare.ts');
              await requireWrangler({acts: options.yes});
              return ({site}) => toCloudflare(root, site);
            }),
          ),
        ),
    )
    .addCommand(
      host('github-pages', '--remote origin --yes')
        .summary('a branch of a git remote; the free documents only')
        .description('Deploys the free documents, and nothing else, to a branch of a git remote.')
        .option('--remote <name>', 'the name or address of the git remote', 'origin')
        .option('--branch <name>', 'the branch to push', branchName, 'gh-pages')
        .addOption(replaceSiteOption())
        .action(({remote, branch, ...options}) =>
          run(options, terminal =>
            deployed('github-pages', options, terminal, async root => {
              const {addressOf, toGithubPages} = await import('./deploy/github-pages.ts');
              const address = await addressOf(root, remote);
              return ready => toGithubPages(root, ready, {address, branch, replaces: options.replaceSite});
            }),
          ),
        ),
    )
    .addHelpText('after', helpEnd(CODES, 'deploy s3 --bucket my-snapshots --distribution E2EXAMPLE --yes'));

const AWS_CLIENTS = ['@aws-sdk/client-s3', '@aws-sdk/client-cloudfront', '@aws-sdk/client-wafv2'] as const;
const CODES = '0 success, 1 refused or failed';

/** Returns the command of a host with the options that all hosts share. */
function host(name: string, example: string) {
  return (
    new Command(name)
      // A dry run is the default. `--dry-run` exists because other commands have it.
      .addOption(new Option('--dry-run', 'show what would be deployed, and change nothing (default)').conflicts('yes'))
      .option('--yes', 'deploy')
      .option('--dirty', 'also deploy changes that are not committed')
      .option(
        '--break-promises <name>',
        'deploy although this product, or the chain of this source, breaks a promise to buyers; can be repeated',
        collected,
      )
      .addOption(signingKeyOption())
      .addOption(rootOption())
      .addOption(jsonOption())
      .addHelpText('after', helpEnd(CODES, `deploy ${name} ${example}`))
  );
}

function branchName(text: string): string {
  return text.replace(/^refs\/heads\//, '');
}

function replaceSiteOption() {
  return new Option(
    '--replace-site <base_url>',
    'the base_url of another site that is deployed there and may be replaced',
  );
}

/**
 * Deploys a site. Missing programs and settings are reported first, because the checks of a large site take long.
 *
 * @param rules the name of the host in the rules
 * @param open finds the tools and credentials of the host
 */
async function deployed(
  rules: string,
  {yes, dirty, ...options}: ReturnType<ReturnType<typeof host>['opts']>,
  terminal: Terminal,
  open: (root: string) => Promise<(ready: Ready) => Promise<Deployment>>,
): Promise<undefined> {
  const root = siteRoot(options.root);
  const deploymentOf = await open(root);
  const [{paymentNotes, preflight}, {gateSettings}, {promiseNotes}, {openSigningKey}, plans] = await Promise.all([
    import('./deploy/preflight.ts'),
    import('./terminal/gate-settings.ts'),
    import('./deploy/promises.ts'),
    import('./sign/open-signing-key.ts'),
    import('./deploy/plan.ts'),
  ]);
  // GitHub Pages sells nothing.
  const settings = rules === 'github-pages' ? undefined : await gateSettings(process.env);
  const key = await openSigningKey(options, process.env);
  const ready = await preflight(root, rules, key, {dirty, acts: yes});
  const {site, willSign} = ready;
  const notes = settings ? await paymentNotes(site, rules, settings) : [];
  const deployment = await deploymentOf(ready);
  const {breakPromises: breaking = []} = options;
  const promises = await promiseNotes({root, site, wasDeployed: deployment.wasDeployed, breaking});
  const signing = willSign ? [`${SIGNATURE_FILE} is not by the given key: --yes signs the catalogue first`] : [];
  const plan = {...deployment.plan, notes: [...deployment.plan.notes, ...signing, ...notes, ...promises]};
  const acts = yes === true && !plans.isDone(plan);
  if (acts) await deployment.carryOut(step => process.stderr.isTTY && terminal.err.write(`${step}\n`));
  terminal.print(plans.planForPrograms(plan, acts), plans.planText(plan, acts));
}
