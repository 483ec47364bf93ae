import {existsSync} from 'node:fs';
import {mkdir, open, readFile, rename, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {encode} from '../../shared/encode.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {readProof, WITNESS} from '../../build/read/proofs.ts';
import {mapAll, refuse} from '../../shared/fault.ts';
import {STAMP_ENDING} from '../../shared/paths.ts';
import {onDisk} from '../freeze/disk.ts';
import {Examiner} from '../../buyer/verify/examiner.ts';
import type {Trusted} from '../../buyer/verify/stamp-trust.ts';
import {stampBy} from './authority.ts';
import type {WitnessChain, Pending} from './chain.ts';

/** The site, and the witnesses to use. */
export interface Order {
  readonly root: string;
  /** The address of a timestamp authority (RFC 3161). */
  readonly tsa: string | undefined;
  /** The trusted certificates, if timestamps must be verified. */
  readonly trusted: Trusted | undefined;
  readonly chain: WitnessChain | undefined;
}

/** A proof for a freeze. */
export interface Confirmation {
  readonly source: string;
  readonly date: string;
  /** The path of the proof, relative to the root. */
  readonly file: string;
  /** What the proof confirms; undefined if it already existed, so that no witness was contacted. */
  readonly says: string | undefined;
}

/** Gets proofs of freezes, and saves each proof as soon as it arrives. Throws `InputError` with all errors. */
export async function witness(order: Order, freezes: readonly Freeze[]): Promise<Confirmation[]> {
  const confirmed = await mapAll(freezes, freeze =>
    mapAll(witnessesOf(order), one => confirm(order.root, freeze, one)),
  );
  return confirmed.flat();
}

/** A service that confirms a digest. */
interface Witness {
  /** The file name of the proof. */
  readonly name: string;
  /** Returns the proof, and a description of it. */
  readonly ask: (
    digest: string,
    freeze: Freeze,
    pending: Pending,
  ) => Promise<readonly [proof: string | Uint8Array, says: string]>;
}

function witnessesOf({tsa, trusted, chain}: Order): Witness[] {
  return [...(tsa === undefined ? [] : [authority(tsa, trusted)]), ...(chain ? [onChain(chain)] : [])];
}

function authority(url: string, trusted: Trusted | undefined): Witness {
  const {hostname, pathname} = new URL(url);
  // Only the digits of an IPv6 address remain. A host may have several authorities.
  const name = `${hostname}${pathname}`
    .toLowerCase()
    .replace(/^\W+|\W+$/g, '')
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, 100);
  return {
    name: name + STAMP_ENDING,
    async ask(digest, {as_of}) {
      const bytes = await stampBy(url, digest);
      const exam = {bytes, freeze: {as_of, descriptor: digest}, trusted, now: new Date().toISOString()};
      // The answer is untrusted, so it is parsed with a time limit.
      await using examiner = new Examiner(AbortSignal.timeout(60_000));
      const {checks} = await examiner.examine({type: 'stamp', subject: new URL(url).host, exam});
      refuse(
        checks
          .filter(({state}) => state === 'failed')
          .map(({subject, detail: rule}) => ({code: 'FZ124', subject, rule})),
      );
      return [bytes, checks.map(({detail}) => detail).join('; ')];
    },
  };
}

function onChain(chain: WitnessChain): Witness {
  return {
    name: `${chain.network.replace(':', '-')}.json`,
    async ask(digest, _freeze, pending) {
      const proof = await chain.hold(digest, pending);
      return [encode(proof), `in transaction ${proof.transaction} of ${proof.network}, block ${proof.block}`];
    },
  };
}

async function confirm(root: string, freeze: Freeze, {name, ask}: Witness): Promise<Confirmation> {
  const {source, date, folder} = freeze;
  const file = `${folder}/${WITNESS}/${name}`;
  const stored = `${dirname(file)}/.${name}.sent`;
  if (existsSync(join(root, file))) {
    await readProof(root, file, freeze);
    return {source, date, file, says: undefined};
  }
  const [proof, says] = await ask(freeze.link.descriptor, freeze, {
    file: stored,
    read: () =>
      onDisk(stored, 'read', async () =>
        existsSync(join(root, stored)) ? readFile(join(root, stored), 'utf8') : undefined,
      ),
    save: transaction => replaceFile(root, stored, transaction),
  });
  await replaceFile(root, file, proof);
  await onDisk(stored, 'written', () => rm(join(root, stored), {force: true}));
  return {source, date, file, says};
}

/** Replaces a file in one step, and flushes it to disk before it resolves: after a crash, the file has the old or the new content. */
async function replaceFile(root: string, file: string, content: string | Uint8Array): Promise<void> {
  await onDisk(file, 'written', async () => {
    const fresh = join(root, dirname(file), `.${basename(file)}.new`);
    await mkdir(dirname(fresh), {recursive: true});
    await using handle = await open(fresh, 'w');
    await handle.writeFile(content);
    await handle.sync();
    await rename(fresh, join(root, file));
  });
}
