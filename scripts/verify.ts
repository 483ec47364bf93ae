import {basename, resolve} from 'node:path';
import {Command} from '@commander-js/extra-typings';
import {currentSite, siteNamedToNpm, siteRoot} from '../shared/command-line.ts';
import {
  DEFAULTS,
  inMebibytes,
  MAX_BYTES,
  MAX_MEBIBYTES,
  MAX_PAYEES,
  MAX_PLACEHOLDERS,
  MAX_SECONDS,
  MAX_SITE_BYTES,
  MAX_TOTAL_BYTES,
} from './verify/bounds.ts';
import {printable} from '../shared/printable.ts';
import {shownAddress} from '../shared/shown-address.ts';
import {checked, rootOption, wholeNumber, type Run} from './terminal/command.ts';
import {httpUrl} from './terminal/service-url.ts';

const MAX_LIMIT = 86_400;
const MAX_CONFIRMATIONS = 1_000_000;

/** `frozen verify`. Exit code: 0 everything checked is fine, 1 something is not. */
export const verify = (run: Run) =>
  new Command('verify')
    .summary('check a site, live or in a folder, or a document')
    .description(
      `Checks a site, live or in a folder, or a single document: schemas, figures, digests, signatures, prices, and that paid paths ask for money. Nothing is bought and nothing is written.`,
    )
    .argument(
      '[target]',
      `the site's public/, or the folder that holds it (default: that of --root); the origin of a live site, such as https://snapshots.example; or the file of a sample, of a paid document or of a receipt`,
    )
    .option(
      '--from <data>',
      'recompute every figure from the frozen rows of the folder data/ and compare',
      checked(dataFolder),
    )
    .option('--free-only', 'the host sells nothing: paid documents must not be there')
    .option('--since <file>', 'a catalogue (index.json) that you kept: says what was rewritten since')
    .option('--schema <file|url>', 'the JSON Schema of a document')
    .option('--site <folder|url>', 'the site that a document was bought from: its catalogue says which bytes those are')
    .option(
      '--key <kid|x|file>',
      'the key that must have signed, a catalogue or a receipt, as you know it from elsewhere: its kid, its x, or a file that holds it',
    )
    .option('--document <file>', 'the document that a receipt is to be for')
    .option(
      '--tsa-ca <file>',
      "certificates (PEM or DER) of the authorities whose time stamps you believe: the authority's own site has them",
    )
    .option('--tsa-crl <file>', 'what these authorities revoked (PEM or DER)')
    .option('--rpc <url>', 'a node of the chain that holds digests of freezes', checked(httpUrl))
    .option(
      '--confirmations <n>',
      'as many blocks make a transaction count (default: 12)',
      wholeNumber(MAX_CONFIRMATIONS),
    )
    .addOption(
      rootOption(
        'data/, public/ and paywall/rules/; each rule of the _redirects of its public/ is tried on a live site',
      ),
    )
    .option('--timeout <s>', 'seconds that a request may take', checked(seconds), DEFAULTS.timeout)
    .option('--limit <s>', 'seconds that everything may take', checked(seconds), DEFAULTS.limit)
    .option('--all', 'a line for every check')
    .option('--json', 'the checks for programs on standard output')
    .addHelpText(
      'after',
      `
Whoever wrote the site may want to hold this program up. So at most ${inMebibytes(MAX_BYTES)} are read of a document,
${inMebibytes(MAX_SITE_BYTES)} of the catalogue, the rules and a page, 64 KiB of headers and ${MAX_TOTAL_BYTES / 1024 ** 3} GiB of all answers
together; looking at one product, at the catalogue or at the rules takes at most ${MAX_SECONDS} s and
${MAX_MEBIBYTES} MiB in a process of its own; a site is paid on at most ${MAX_PAYEES} networks, and a rule of its
_redirects has at most ${MAX_PLACEHOLDERS} placeholders. What needs more has failed. After --limit nothing more is
looked at, and what is left has failed as well.

An option that has no effect on the target is refused: --from, --free-only, --since, --tsa-* and --rpc are for a site
(--from also for a document), --schema is for a document, --site for a document or receipt, --document for a receipt.

Exit codes: 0 everything checked is fine, 1 something is not, 2 wrong usage.

Example: frozen verify https://snapshots.example --from data
`,
    )
    .action((named, options) =>
      run(options, async ({out, line}) => {
        const {all = false, json, root: given, from, ...wanted} = options;
        const target = named ?? siteRoot(given);
        const [{verify}, {preflightChecks}, {progressOn}, {tableOf, verdictOf}, {isFine}] = await Promise.all([
          import('./verify/verify.ts'),
          import('./verify/preflight-checks.ts'),
          import('./build/progress.ts'),
          import('./verify/report.ts'),
          import('./verify/check.ts'),
        ]);
        const onProduct = (name: string, at: number, of: number) => {
          line.show(() => `${at} of ${of}  ${printable(name)}`);
        };
        const data =
          from === undefined
            ? undefined
            : resolve(given ?? (named === undefined ? siteNamedToNpm() : undefined) ?? '', from);
        const root = given ?? currentSite();
        const checks = [
          ...(await verify({...wanted, target, root, from: data, onProduct, progress: progressOn(line)})),
          ...(root === undefined || wanted.freeOnly ? [] : await preflightChecks(root, named)),
        ];
        line.end();
        const [ok, shown, seconds] = [isFine(checks), shownAddress(target), Math.round(performance.now()) / 1000];
        const text = json
          ? JSON.stringify({ok, target: shown, seconds, checks}, null, 2)
          : [tableOf(checks, all), '', verdictOf(printable(shown), checks, seconds)].join('\n');
        out.write(`${text}\n`);
        return ok ? 0 : 1;
      }),
    );

function dataFolder(path: string): string {
  if (basename(resolve(path)) !== 'data') throw new Error('It is no folder named data.');
  return path;
}

function seconds(text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= MAX_LIMIT) return number;
  throw new Error(`It is no number of seconds from above 0 to ${MAX_LIMIT}.`);
}
