import {build} from '../../build/build.ts';
import {RULES_FILE, SIGNATURE_FILE} from '../../shared/paths.ts';
import type {SigningKey} from '../../shared/signing-key.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {isUpToDate} from '../../build/write/changes.ts';
import {buildCommand} from '../../shared/command-line.ts';
import {openSite, type OpenSite} from '../../paywall/site/open-site.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';
import {findGit, gitSays} from '../programs/git.ts';
import {requirePreflight} from '../../paywall/preflight/preflight.ts';
import {openSetup} from '../../paywall/preflight/setup.ts';
import {networkOf} from '../../shared/networks.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {GateSettings} from '../terminal/gate-settings.ts';

export type Ready = Awaited<ReturnType<typeof preflight>>;

/**
 * Opens the site and runs all checks before a deployment. Throws `InputError` with the failed ones: uncommitted files, a stale build,
 * rules, verification. In the result, `willSign` is true in a dry run if a deployment would sign the catalogue.
 *
 * @param host its name in the rules
 * @param key signs the catalogue first. Without it, a site with a key must already be signed
 * @param how `dirty` deploys uncommitted changes too. Without `acts`, it is a dry run, which does not sign the catalogue
 */
export async function preflight(
  root: string,
  host: string,
  key: SigningKey | undefined,
  {dirty = false, acts = false}: {readonly dirty?: boolean | undefined; readonly acts?: boolean | undefined},
) {
  if (!dirty) await refuseDirty(root);
  await refuseOldBuild(root);
  const signed = key && (await (await import('../sign/sign-site.ts')).signSite(root, key, {write: acts}));
  // A dry run verifies everything except the signature that it would write.
  const willSign = signed?.changed === true && !acts;
  const site = await openSite(root);
  refuseUngated(site, host);
  await refuseInvalid(root, willSign);
  return {site, willSign};
}

/** Throws `InputError` with the failed checks of a site, except those of a signature that will be written. */
export async function refuseInvalid(
  folder: string,
  willSign: boolean,
  how?: {readonly freeOnly: boolean},
): Promise<void> {
  const failed = (await verifySite(folder, how)).filter(
    ({state, what}) => state === 'failed' && !(willSign && what === 'signature'),
  );
  refuse(failed.map(({what, subject, detail}) => ({code: 'FZ411', subject, rule: `fails "${what}": ${detail}`})));
}

/** The signature need not be committed, because it is verified separately. */
async function refuseDirty(root: string): Promise<void> {
  const git = await findGit(root);
  // Git can be configured not to list untracked files.
  const asked = ['status', '--porcelain', '--untracked-files=normal', '--', '.', `:(exclude)${SIGNATURE_FILE}`];
  const status = await git.answer(...asked);
  if (!status.ok) {
    const [rule, fix] = status.err.includes('not a git repository')
      ? ['is not in a git repository', 'Put the site into a git repository, or use `--dirty` to deploy it without.']
      : [`cannot be checked: ${gitSays(status)}`, 'Correct what git reports, or use `--dirty` to deploy anyway.'];
    throw new InputError({code: 'FZ412', file: root, rule, fix});
  }
  const changed = status.out.split('\n').filter(Boolean);
  const [first = ''] = changed;
  if (changed.length === 0) return;
  const among = changed.length > 1 ? ` (one of ${changed.length} paths)` : '';
  const rule = `is not committed${among}`;
  const fix = 'Commit the files, or use `--dirty` to deploy them anyway.';
  throw new InputError({code: 'FZ412', file: first.slice(3), rule, fix});
}

async function refuseOldBuild(root: string): Promise<void> {
  const {changes} = await build({root, check: true});
  if (isUpToDate(changes)) return;
  const [first = ''] = [...changes.added, ...changes.changed, ...changes.removed];
  const rule = 'differs from what a build of data/ writes';
  const fix = `Run \`${buildCommand(root)}\` and commit the result.`;
  throw new InputError({code: 'FZ404', file: first, rule, fix});
}

/** Throws `InputError` if the rules for the host are missing, because all documents would be free there. */
function refuseUngated({rules: {hosts}}: OpenSite, host: string): void {
  if ((hosts[host] ?? []).length > 0) return;
  throw new InputError({
    code: 'FZ403',
    file: RULES_FILE,
    rule: `does not contain rules for ${host}, so every document would be free there`,
    fix: `Add ${host} to "hosts" of data/site.json, and build. The build writes the rules, or reports what ${host} cannot sell.`,
  });
}

/**
 * Returns lines with the payees of a deployment and the warnings of its preflight. Throws `InputError` if no sale could succeed or real
 * money would be lost.
 *
 * @param host its name in the rules
 */
export async function paymentNotes({rules}: OpenSite, host: string, settings: GateSettings): Promise<string[]> {
  const {setup} = await openSetup(rules, settings);
  // AWS settles payments itself.
  const results = await requirePreflight(host === 'aws' ? {...setup, facilitator: undefined} : setup);
  const {facilitator} = setup;
  const through =
    host === 'aws' ? 'AWS' : facilitator ? `the facilitator ${shownAddress(facilitator.url)}` : 'the gate itself';
  const payees = rules.payment.accepts.map(async ({network, pay_to}) => {
    const {name, isTest} = await networkOf(network);
    return `money goes to ${pay_to} on ${name} (${network}, ${isTest ? 'test' : 'real'} money), through ${through}`;
  });
  const warnings = results.filter(({state}) => state === 'warning');
  return [
    ...(await Promise.all(payees)),
    ...warnings.map(({kind, subject, message}) => `${kind}: ${subject} ${message}`),
  ];
}
