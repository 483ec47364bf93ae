import {proofType} from '../../shared/paths.ts';
import type {ListedFreeze, ListedProof} from '../../shared/shapes.ts';
import {InputError} from '../../shared/fault.ts';
import {failed, checksFromError, unchecked, type Check} from './check.ts';
import {readListed} from './site-reader.ts';
import {proofSummary, PROOF, type ExaminedProof} from './proof-result.ts';
import type {OpenSite} from './verify-site.ts';

const MOST_BYTES = 1 << 20;
/** The maximum number of proofs of a freeze that are checked. */
const MOST_PROOFS = 16;
/** The number of confirmations after which a transaction counts as final. */
const CONFIRMATIONS = 12;

/** The trusted authorities and the node for proofs. */
export type Witnesses = Awaited<ReturnType<typeof witnessesOf>>;

export interface WitnessOptions {
  /** Files with certificates of timestamp authorities, and with their revocation lists. */
  readonly tsaCa?: string | undefined;
  readonly tsaCrl?: string | undefined;
  /** A node of the chain with the digests, and the required number of confirmations. */
  readonly rpcUrl?: string | undefined;
  readonly confirmations?: number | undefined;
}

/** Reads the files of the options. Throws `InputError` if a file has no certificates or revocation lists. */
export async function witnessesOf({tsaCa, tsaCrl, rpcUrl, confirmations = CONFIRMATIONS}: WitnessOptions) {
  if (tsaCrl !== undefined && tsaCa === undefined)
    throw new InputError({code: 'FZ903', field: '--tsa-crl', rule: 'needs the certificate of its authority'});
  if (tsaCa === undefined) return {rpcUrl, confirmations, trusted: undefined};
  // Rarely needed, and slow to load.
  const {derIn} = await import('./stamp-trust.ts');
  const authorities = await derIn(tsaCa, 'CERTIFICATE');
  const lists = tsaCrl === undefined ? [] : await derIn(tsaCrl, 'X509 CRL');
  return {rpcUrl, confirmations, trusted: {authorities, lists}};
}

/** Returns the checks of each freeze that has proofs in the catalogue, as name and function. */
export function witnessTasks({catalogue, reader, examiner}: OpenSite, {trusted, ...chain}: Witnesses) {
  const pathAt = new Map(catalogue.files.map(({path}) => [catalogue.base_url + path, path]));

  function stampExam(subject: string, bytes: Uint8Array, freeze: ListedFreeze): Promise<ExaminedProof> {
    const exam = {bytes, freeze, trusted, now: new Date().toISOString()};
    return examiner.examine({type: 'stamp', subject, exam});
  }

  async function transactionExam(subject: string, bytes: Uint8Array, freeze: ListedFreeze): Promise<ExaminedProof> {
    const {examineTransaction} = await import('./examine-transaction.ts');
    return examineTransaction(subject, bytes, freeze, chain).catch((error: unknown) => ({
      checks: checksFromError(PROOF, subject, error),
    }));
  }

  async function proofChecks(freeze: ListedFreeze, {url, kind, ...listed}: ListedProof): Promise<ExaminedProof> {
    const path = pathAt.get(url);
    if (path === undefined) return {checks: [failed(PROOF, url, 'is not among the files of the catalogue')]};
    if (kind !== 'rfc3161' && kind !== 'transaction')
      return {checks: [unchecked(PROOF, path, `its kind is unknown: ${kind}`)]};
    const {bytes, checks} = await readListed(reader, path, proofType(path), listed, MOST_BYTES);
    if (!bytes) return {checks};
    const found = await (kind === 'rfc3161' ? stampExam(path, bytes, freeze) : transactionExam(path, bytes, freeze));
    return {...found, checks: [...checks, ...found.checks]};
  }

  async function freezeChecks(subject: string, freeze: ListedFreeze, proofs: readonly ListedProof[]): Promise<Check[]> {
    const found: ExaminedProof[] = [];
    for (const proof of proofs.slice(0, MOST_PROOFS)) found.push(await proofChecks(freeze, proof));
    const more = proofs.length - found.length;
    return [
      ...found.flatMap(({checks}) => checks),
      ...(more > 0 ? [unchecked(PROOF, subject, `${more} more; one valid proof is enough`)] : []),
      ...proofSummary(subject, freeze, found),
    ];
  }

  return (catalogue.sources ?? []).flatMap(({name, freezes}) =>
    freezes.flatMap(freeze => {
      const subject = `${name} of ${freeze.date}`;
      const {proofs = []} = freeze;
      return proofs.length > 0 ? [[subject, () => freezeChecks(subject, freeze, proofs)] as const] : [];
    }),
  );
}
