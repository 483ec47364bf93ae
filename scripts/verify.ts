import {basename, resolve} from 'node:path';
import {Command, Option} from '@commander-js/extra-typings';
import {currentSite, siteNamedToNpm, siteRoot} from '../shared/command-line.ts';
import {
  DEFAULTS,
  MAX_BYTES,
  MAX_MEBIBYTES,
  MAX_PAYEES,
  MAX_SECONDS,
  MAX_SITE_BYTES,
  MAX_TOTAL_BYTES,
} from '../buyer/verify/bounds.ts';
import type {Check} from '../buyer/verify/check.ts';
import {printable} from '../shared/printable.ts';
import {shownAddress} from '../shared/shown-address.ts';
import {helpEnd} from './help/help-end.ts';
import {
  checked,
  jsonOption,
  rootOption,
  rpcUrlOption,
  wholeNumber,
  type Run,
  type Terminal,
} from './terminal/command.ts';
import {size} from './terminal/meter.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';

const MAX_LIMIT = 86_400;
const MAX_CONFIRMATIONS = 1_000_000;

const CODES = '0 all checks passed, 1 a check failed';
const SITE_LIMITS = `
A hostile site may try to exhaust this program, so it has limits. It reads at most ${size(MAX_BYTES)} of a document,
${size(MAX_SITE_BYTES)} each of the catalogue, the rules and a page, 64 KiB of headers and ${size(MAX_TOTAL_BYTES)} of all answers
together; checking one product, the catalogue or the rules takes at most ${MAX_SECONDS} s and
${MAX_MEBIBYTES} MiB in a separate process; a site has at most ${MAX_PAYEES} networks. A check that exceeds a limit fails.
After --total-timeout, all remaining checks fail too.
`;

/** `frozen verify`. Exit code: 0 all checks passed, 1 a check failed. */
export const verify = (run: Run) =>
  new Command('verify')
    .summary('check a site, a document or a receipt')
    .description('Checks a site, a document or a receipt. It buys nothing and writes nothing.')
    .addCommand(verifySite(run))
    .addCommand(verifyDocument(run))
    .addCommand(verifyReceipt(run))
    .addHelpText('after', helpEnd(CODES, 'verify site https://snapshots.example'));

const verifySite = (run: Run) =>
  verifier('site', 'the public key that must have signed the catalogue')
    .summary('a live site, or the folder of a site')
    .description(
      'Checks all documents of a site: schemas, figures, digests, signatures and prices; and that paid paths require payment.',
    )
    .argument(
      '[target]',
      'the origin of a live site, such as https://snapshots.example, or the folder public/ or its parent (default: the site of --root)',
    )
    .addOption(dataOption())
    .option('--free-only', 'the host sells nothing: paid documents must be absent')
    .option(
      '--saved-catalogue <file>',
      'a catalogue (index.json) that you saved earlier: reports what was rewritten since then',
    )
    .option(
      '--tsa-ca <file>',
      'the certificates (PEM or DER) of the timestamp authorities that you trust; download them from the authority',
    )
    .option('--tsa-crl <file>', 'the revocation lists of these authorities (PEM or DER)')
    .addOption(rpcUrlOption('a node of the chain that contains the digests of freezes'))
    .option(
      '--confirmations <n>',
      'the number of confirmations that a transaction needs (default: 12)',
      wholeNumber(MAX_CONFIRMATIONS),
    )
    .addOption(rootOption())
    .addHelpText('after', helpEnd(CODES, 'verify site https://snapshots.example --data data', SITE_LIMITS))
    .action((named, {all, json, root: given, data: folder, ...options}, command) =>
      run({json}, async terminal => {
        refuseIgnored(
          command,
          [!options.tsaCa, ['--tsa-crl'], {requires: '--tsa-ca'}],
          [!options.rpcUrl, ['--confirmations'], {requires: '--rpc-url'}],
        );
        const target = named ?? siteRoot(given);
        const [{verifySite}, {preflightChecks}, {progressOn}] = await Promise.all([
          import('../buyer/verify/verify-site.ts'),
          import('./verify/preflight-checks.ts'),
          import('./build/progress.ts'),
        ]);
        const onProduct = (name: string, at: number, of: number) => {
          terminal.line.show(() => `${at} of ${of}  ${printable(name)}`);
        };
        const home = given ?? (named === undefined ? siteNamedToNpm() : undefined) ?? '';
        const data = folder === undefined ? undefined : resolve(home, folder);
        const root = given ?? currentSite();
        const progress = progressOn(terminal.line);
        const checks = await verifySite(target, {...options, root, data, onProduct, progress});
        const preflight = root === undefined || options.freeOnly ? [] : await preflightChecks(root, named);
        return report(target, [...checks, ...preflight], terminal, all);
      }),
    );

const verifyDocument = (run: Run) =>
  verifier('document', 'the public key that must have signed the catalogue of --site')
    .summary('a sample or a paid document')
    .description(
      'Checks a sample or a paid document: its schema, figures, digest, signatures and texts. With --site, it also checks that these are the bytes that were for sale. A CSV or Parquet file can only be compared with its site.',
    )
    .argument('<file>', 'the file of a sample or a paid document')
    .option('--site <folder|origin>', 'the site that sold the document; its catalogue has the digest')
    .option('--schema <file|url>', 'its JSON Schema (default: that of the site)')
    .addOption(dataOption())
    .addHelpText('after', helpEnd(CODES, 'verify document document.json --site https://snapshots.example'))
    .action((file, {all, json, ...options}, command) =>
      run({json}, async terminal => {
        const {isRowFile, verifyDocument} = await import('../buyer/verify/verify-document.ts');
        refuseIgnored(
          command,
          [!options.site, ['--site-key'], {requires: '--site'}],
          [isRowFile(file), ['--schema', '--data'], 'does not apply to a CSV or Parquet file'],
        );
        const {progressOn} = await import('./build/progress.ts');
        const checks = await verifyDocument(file, {...options, progress: progressOn(terminal.line)});
        return report(file, checks, terminal, all);
      }),
    );

const verifyReceipt = (run: Run) =>
  verifier('receipt', 'the public key that must have signed the receipt')
    .summary('a receipt of a purchase')
    .description(
      'Checks who signed a receipt, and prints what the seller confirmed with it. It connects only to --site. The key of the seller comes from --site-key, or from --site.',
    )
    .argument('<file>', 'the file of a receipt, such as receipt.json')
    .option('--site <folder|origin>', 'the site of the seller, which names its key')
    .option('--document <file>', 'the document that the receipt must be for')
    .addHelpText('after', helpEnd(CODES, 'verify receipt receipt.json --site https://snapshots.example'))
    .action((file, {all, json, ...options}) =>
      run({json}, async terminal => {
        const {verifyReceipt} = await import('../buyer/verify/verify-receipt.ts');
        return report(file, await verifyReceipt(file, options), terminal, all);
      }),
    );

/** Returns a verification command with the options that all have. */
function verifier(name: string, key: string) {
  return new Command(name)
    .option(
      '--site-key <key>',
      `${key}: the kid or x of its JWK, or a file with it; get it from a source that you trust`,
    )
    .option(
      '--request-timeout <seconds>',
      'the maximum seconds for a request',
      checked(seconds),
      DEFAULTS.requestTimeout,
    )
    .option('--total-timeout <seconds>', 'the maximum seconds for all checks', checked(seconds), DEFAULTS.totalTimeout)
    .option('--all', 'show every check, not only failed ones')
    .addOption(jsonOption());
}

function dataOption() {
  return new Option(
    '--data <folder>',
    'compute every figure again from the frozen rows in the folder data/, and compare',
  ).argParser(checked(dataFolder));
}

async function report(target: string, checks: readonly Check[], terminal: Terminal, all = false): Promise<number> {
  const [{tableOf, verdictOf}, {isFine}] = await Promise.all([
    import('./verify/report.ts'),
    import('../buyer/verify/check.ts'),
  ]);
  const [ok, shown, seconds] = [isFine(checks), shownAddress(target), Math.round(performance.now()) / 1000];
  const text = [tableOf(checks, all), '', verdictOf(printable(shown), checks, seconds)].join('\n');
  terminal.print({ok, target: shown, seconds, checks}, text);
  return ok ? 0 : 1;
}

function dataFolder(path: string): string {
  if (basename(resolve(path)) !== 'data') throw new Error('Expected a folder with the name data.');
  return path;
}

function seconds(text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= MAX_LIMIT) return number;
  throw new Error(`Expected a number of seconds above 0, up to ${MAX_LIMIT}.`);
}
