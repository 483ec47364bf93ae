import {dirname, posix} from 'node:path';
import glob from 'fast-glob';
import {digest as digestSchema} from '../../shared/digest.ts';
import {InputError, mapAll} from '../../shared/fault.ts';
import {isDevice, RESERVED} from '../../shared/file-names.ts';
import {proofPath, STAMP_ENDING} from '../../shared/paths.ts';
import {earlinessOf, type ProofKind} from '../../shared/proof.ts';
import {knownInput, type KnownFile} from '../disk/known-file.ts';
import {readInput} from '../disk/plain-file.ts';
import {freezesOf, type Freeze} from './freezes.ts';
import {readJsonFile} from './json-file.ts';
import {network} from './site.ts';
import {compile, object, type Accepted} from './validator.ts';

/** The folder for proofs inside that of a freeze. Proofs are not part of the freeze, which is never edited. */
export const WITNESS = 'witness';

const MOST_BYTES = 1 << 20;
const NAME = /^[a-z0-9][a-z0-9.-]{0,99}\.(tsr|json)$/;

/** A freeze with its proofs, sorted by the names of their files. */
export interface WitnessedFreeze extends Pick<Freeze, 'source' | 'date'> {
  readonly proofs: readonly Proof[];
}

/** A proof in the folder of a freeze. */
export interface Proof {
  readonly kind: ProofKind;
  readonly file: string;
  /** The state of the file before it was read. */
  readonly known: KnownFile;
  /** Absolute path of its public copy. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

const transactionProof = object({
  network,
  transaction: {type: 'string', pattern: '^0x[0-9a-f]{64}$', description: '0x and 64 lower-case hexadecimal digits'},
  block: {type: 'integer', minimum: 0, description: 'the number of a block'},
  digest: {...digestSchema, description: '64 lower-case hexadecimal digits'},
});

/** The transaction that contains the digest of a descriptor. */
type TransactionProof = Accepted<typeof transactionProof>;

export const validateTransactionProof = compile<TransactionProof>(transactionProof);

/**
 * Reads the proofs of the freezes of sources, sorted by source, then oldest `as_of` first. Throws `InputError` with each proof that is
 * malformed, of another digest or older than its freeze. Signatures and transactions are not checked, because that needs the authority's
 * certificate or a node.
 * @returns the freezes that have proofs
 */
export async function readProofs(
  root: string,
  sources: readonly {readonly name: string}[],
): Promise<WitnessedFreeze[]> {
  const names = sources.map(({name}) => name).sort();
  return (await mapAll(names, source => ofSource(root, source))).flat();
}

async function ofSource(root: string, source: string): Promise<WitnessedFreeze[]> {
  const folder = `data/sources/${source}`;
  const patterns = [`${folder}/*/${WITNESS}`, `${folder}/*/${WITNESS}/*`];
  const entries = glob.sync(patterns, {cwd: root, onlyFiles: false, followSymbolicLinks: false, objectMode: true});
  const found = entries
    .filter(({path, dirent}) => isInWitnessFolder(path) || !dirent.isDirectory())
    .map(({path}) => path);
  if (found.length === 0) return [];
  const freezes = await mapAll(await freezesOf(root, source), freeze => ofFreeze(root, freeze, found.sort()));
  return freezes.filter(({proofs}) => proofs.length > 0);
}

function isInWitnessFolder(path: string): boolean {
  return posix.basename(dirname(path)) === WITNESS;
}

async function ofFreeze(root: string, freeze: Freeze, found: readonly string[]): Promise<WitnessedFreeze> {
  const {source, date, folder, files} = freeze;
  const home = `${folder}/${WITNESS}`;
  const kept = found.filter(file => (file === home || dirname(file) === home) && !files.includes(file));
  const proofs = await mapAll(kept, async file => {
    const known = knownInput(root, file);
    return {known, ...(await readProof(root, file, freeze))};
  });
  return {source, date, proofs};
}

/** Reads a proof. Throws `InputError` if it is malformed, of another digest or older than its freeze. */
export async function readProof(
  root: string,
  file: string,
  {source, date, as_of, link}: Freeze,
): Promise<Omit<Proof, 'known'>> {
  const name = posix.basename(file);
  if (!isInWitnessFolder(file))
    throw new InputError({code: 'FZ113', file, rule: 'is not a folder, and proofs are in a folder of this name'});
  const shape = 'lower-case letters, digits, "." and "-", with .tsr (RFC 3161) or .json (a transaction) at the end';
  if (!NAME.test(name))
    throw new InputError({code: 'FZ113', file, rule: `is not a proof: the name of a proof has ${shape}`});
  if (isDevice(name)) throw new InputError({code: 'FZ205', file, rule: RESERVED});
  const bytes = readInput(root, file, MOST_BYTES);
  const isStamp = name.endsWith(STAMP_ENDING);
  const {digest, latest} = isStamp
    ? // Loaded late, because it loads slowly and few sites have proofs.
      (await import('../../shared/time-stamp.ts')).readStamp(file, bytes)
    : {...readJsonFile(root, file, validateTransactionProof), latest: undefined};
  const rule = `is over ${digest}, not over datapackage.json, whose SHA-256 is ${link.descriptor}`;
  if (digest !== link.descriptor) throw new InputError({code: 'FZ113', file, rule});
  const early = latest === undefined ? undefined : earlinessOf(latest, as_of);
  if (early !== undefined) throw new InputError({code: 'FZ113', file, rule: early});
  return {kind: isStamp ? 'rfc3161' : 'transaction', file, path: proofPath(source, date, name), bytes};
}
