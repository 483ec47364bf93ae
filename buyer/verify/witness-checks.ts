import {proofType} from '../../shared/paths.ts';
import type {Catalogue, ListedFreeze, ListedProof} from '../../shared/shapes.ts';
import type {ProofKind} from '../../shared/proof.ts';
import {InputError} from '../../shared/fault.ts';
import {failed, checksFromError, unchecked, type Check} from './check.ts';
import type {ChainTrust} from './examine-transaction.ts';
import type {Examiner} from './examiner.ts';
import {readListed, type SiteReader} from './site-reader.ts';
import type {Trusted} from './stamp-trust.ts';
import {proofSummary, PROOF, type ProofResult} from './proof-result.ts';

const MOST_BYTES = 1 << 20;
/** The maximum number of proofs of a freeze that are checked. */
const MOST_PROOFS = 16;
/** The number of confirmations after which a transaction counts as final. */
const CONFIRMATIONS = 12;

/** The trusted authorities and the node for proofs. */
export interface Witnesses extends ChainTrust {
  readonly trusted: Trusted | undefined;
}

/** The options for the trusted authorities and the node. */
export interface WitnessOptions {
  /** Files with certificates of timestamp authorities, and with their revocation lists. */
  readonly tsaCa?: string | undefined;
  readonly tsaCrl?: string | undefined;
  /** A node of the chain with the digests, and the required number of confirmations. */
  readonly rpcUrl?: string | undefined;
  readonly confirmations?: number | undefined;
}

/** Reads the files of the options. Throws `InputError` if a file has no certificates or revocation lists. */
export async function witnessesOf({
  tsaCa,
  tsaCrl,
  rpcUrl,
  confirmations = CONFIRMATIONS,
}: WitnessOptions): Promise<Witnesses> {
  if (tsaCrl !== undefined && tsaCa === undefined)
    throw new InputError({
      code: 'FZ903',
      field: '--tsa-crl',
      rule: 'needs the certificate of its authority',
    });
  if (tsaCa === undefined) return {rpcUrl, confirmations, trusted: undefined};
  // Rarely needed, and slow to load.
  const {certificatesIn, revocationListsIn} = await import('./stamp-trust.ts');
  const authorities = await certificatesIn(tsaCa);
  const lists = tsaCrl === undefined ? [] : await revocationListsIn(tsaCrl);
  return {rpcUrl, confirmations, trusted: {authorities, lists}};
}

/** A site with proofs, and the context of its checks. */
interface WitnessedSite {
  readonly catalogue: Catalogue;
  readonly reader: SiteReader;
  readonly examiner: Examiner;
  readonly witnesses: Witnesses;
}

/** Returns the checks of each freeze that has proofs in the catalogue, as name and function. */
export function witnessTasks(site: WitnessedSite): (readonly [name: string, task: () => Promise<Check[]>])[] {
  return (site.catalogue.sources ?? []).flatMap(({name, freezes}) =>
    freezes.flatMap(freeze => {
      const subject = `${name} of ${freeze.date}`;
      return freeze.proofs?.length
        ? [[subject, () => checksOf(site, subject, freeze, freeze.proofs ?? [])] as const]
        : [];
    }),
  );
}

async function checksOf(
  site: WitnessedSite,
  subject: string,
  freeze: ListedFreeze,
  proofs: readonly ListedProof[],
): Promise<Check[]> {
  const looked = proofs.slice(0, MOST_PROOFS);
  const found: Examined[] = [];
  for (const proof of looked) found.push(await proofChecks(site, freeze, proof));
  const more = proofs.length - looked.length;
  return [
    ...found.flatMap(({checks}) => checks),
    ...(more > 0 ? [unchecked(PROOF, subject, `${more} more; one valid proof is enough`)] : []),
    ...proofSummary(
      subject,
      freeze,
      found.flatMap(({result}) => result ?? []),
      found.flatMap(({unproved}) => unproved ?? []),
    ),
  ];
}

/** The checks of one proof, and its result, or why it is not verified. */
interface Examined {
  readonly checks: readonly Check[];
  readonly result?: ProofResult;
  /** Describes a proof that was not verified. */
  readonly unproved?: string;
}

async function proofChecks(
  site: WitnessedSite,
  freeze: ListedFreeze,
  {url, kind, ...listed}: ListedProof,
): Promise<Examined> {
  const {base_url, files} = site.catalogue;
  const path = files.find(file => base_url + file.path === url)?.path;
  if (path === undefined) return {checks: [failed(PROOF, url, 'is not among the files of the catalogue')]};
  if (kind !== 'rfc3161' && kind !== 'transaction')
    return {checks: [unchecked(PROOF, path, `its kind is unknown: ${kind}`)]};
  const {bytes, checks} = await readListed(site.reader, path, proofType(path), listed, MOST_BYTES);
  if (!bytes) return {checks};
  const found = await examined(site, path, kind, bytes, freeze);
  return {...found, checks: [...checks, ...found.checks]};
}

async function examined(
  {examiner, witnesses}: WitnessedSite,
  path: string,
  kind: ProofKind,
  bytes: Uint8Array,
  freeze: ListedFreeze,
): Promise<Examined> {
  if (kind === 'rfc3161') {
    const exam = {bytes, freeze, trusted: witnesses.trusted, now: new Date().toISOString()};
    return examiner.examine({type: 'stamp', subject: path, exam});
  }
  const {examineTransaction} = await import('./examine-transaction.ts');
  return examineTransaction(path, bytes, freeze, witnesses).catch((error: unknown) => ({
    checks: checksFromError(PROOF, path, error),
  }));
}
