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
} from '../buyer/verify/bounds.ts';
import {printable} from '../shared/printable.ts';
import {shownAddress} from '../shared/shown-address.ts';
import {checked, rootOption, wholeNumber, type Run} from './terminal/command.ts';
import {httpUrl} from './terminal/service-url.ts';

const MAX_LIMIT = 86_400;
const MAX_CONFIRMATIONS = 1_000_000;

/** `frozen verify`. Exit code: 0 everything checked is fine, 1 something is not. */
export const verify = (run: Run) =>
  new Command('verify')
    .summary('check a live site, a folder or a document')
    .description(
      `Checks a live site, the folder of a site, or one document: schemas, figures, digests, signatures, prices, and that paid paths require payment. It buys nothing and writes nothing.`,
    )
    .argument(
      '[target]',
      `the folder public/ or the folder above it (default: that of --root); the origin of a live site, such as https://snapshots.example; or the file of a sample, a paid document or a receipt`,
    )
    .option(
      '--data <folder>',
      'compute every figure again from the frozen rows in the folder data/, and compare',
      checked(dataFolder),
    )
    .option('--free-only', 'the host sells nothing: paid documents must be absent')
    .option(
      '--saved-catalogue <file>',
      'a catalogue (index.json) that you saved earlier: reports what was rewritten since then',
    )
    .option('--schema <file|url>', 'the JSON Schema of a document')
    .option('--site <folder|url>', 'the site that sold the document; its catalogue has the digest')
    .option(
      '--site-key <kid|x|file>',
      'the public key that must have signed the catalogue or receipt: its kid, its x, or a file; get it from a source that you trust',
    )
    .option('--document <file>', 'the document that the receipt must be for')
    .option(
      '--tsa-ca <file>',
      'the certificates (PEM or DER) of the time stamp authorities that you trust; download them from the authority',
    )
    .option('--tsa-crl <file>', 'the revocation lists of these authorities (PEM or DER)')
    .option('--rpc-url <url>', 'a node of the chain that contains the digests of freezes', checked(httpUrl))
    .option(
      '--confirmations <n>',
      'how many blocks a transaction needs to count (default: 12)',
      wholeNumber(MAX_CONFIRMATIONS),
    )
    .addOption(
      rootOption(
        'data/, public/ and paywall/rules/; each rule of the _redirects of its public/ is tried on a live site',
      ),
    )
    .option(
      '--request-timeout <seconds>',
      'the maximum seconds for a request',
      checked(seconds),
      DEFAULTS.requestTimeout,
    )
    .option('--total-timeout <seconds>', 'the maximum seconds for all checks', checked(seconds), DEFAULTS.totalTimeout)
    .option('--all', 'show every check, not only failed ones')
    .option('--json', 'print the checks as JSON')
    .addHelpText(
      'after',
      `
A hostile site may try to exhaust this program, so it has limits. It reads at most ${inMebibytes(MAX_BYTES)} of a document,
${inMebibytes(MAX_SITE_BYTES)} of the catalogue, the rules and a page, 64 KiB of headers and ${MAX_TOTAL_BYTES / 1024 ** 3} GiB of all answers
together; checking one product, the catalogue or the rules takes at most ${MAX_SECONDS} s and
${MAX_MEBIBYTES} MiB in a separate process; a site has at most ${MAX_PAYEES} networks, and a rule of its
_redirects has at most ${MAX_PLACEHOLDERS} placeholders. A check that exceeds a limit has failed. After --total-timeout, all
remaining checks have failed as well.

An option without effect on the target is refused: --data, --free-only, --saved-catalogue, --tsa-* and --rpc-url are for a site
(--data also for a document), --schema is for a document, --site for a document or receipt, --document for a receipt.

Exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage.

Example: frozen verify https://snapshots.example --data data
`,
    )
    .action((named, options) =>
      run(options, async ({out, line}) => {
        const {all = false, json, root: given, data: folder, ...wanted} = options;
        const target = named ?? siteRoot(given);
        const [{verify}, {preflightChecks}, {progressOn}, {tableOf, verdictOf}, {isFine}] = await Promise.all([
          import('../buyer/verify/verify.ts'),
          import('./verify/preflight-checks.ts'),
          import('./build/progress.ts'),
          import('./verify/report.ts'),
          import('../buyer/verify/check.ts'),
        ]);
        const onProduct = (name: string, at: number, of: number) => {
          line.show(() => `${at} of ${of}  ${printable(name)}`);
        };
        const data =
          folder === undefined
            ? undefined
            : resolve(given ?? (named === undefined ? siteNamedToNpm() : undefined) ?? '', folder);
        const root = given ?? currentSite();
        const checks = [
          ...(await verify({...wanted, target, root, data, onProduct, progress: progressOn(line)})),
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
