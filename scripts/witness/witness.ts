import {existsSync, readdirSync} from 'node:fs';
import {mkdir, open, readFile, rename, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {type Freeze, freezesOf, readFreezes} from '../../build/read/freezes.ts';
import {readProof, WITNESS} from '../../build/read/proofs.ts';
import {mapAll, refuse, InputError, wrongUsage} from '../../shared/fault.ts';
import {SOURCES, STAMP_ENDING} from '../../shared/paths.ts';
import {withFileErrors} from '../../shared/file-errors.ts';
import {Examiner} from '../../buyer/verify/examiner.ts';
import type {Trusted} from '../../buyer/verify/stamp-trust.ts';
import type {Pending} from './chain.ts';
import {checkDigest} from '../../build/read/digest.ts';
import {located} from '../../build/read/json-file.ts';
import {SOURCE_NAME, sourceNameHint} from '../../shared/source-name.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {randomBytes} from 'node:crypto';
import {Integer, Null, OctetString} from 'asn1js';
import {AlgorithmIdentifier, MessageImprint, TimeStampReq} from 'pkijs';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {SHA_256} from '../../shared/time-stamp.ts';

/** Gets proofs of freezes, and saves each proof as soon as it arrives. Throws `InputError` with all errors. */
export async function witness(root: string, witnesses: readonly Witness[], freezes: readonly Freeze[]) {
  const confirmed = await mapAll(freezes, freeze => mapAll(witnesses, one => confirm(root, freeze, one)));
  return confirmed.flat();
}

/** A service that confirms a digest. */
export interface Witness {
  /** The file name of the proof. */
  readonly name: string;
  /** Returns the proof, and a description of it. */
  readonly ask: (
    digest: string,
    freeze: Freeze,
    pending: Pending,
  ) => Promise<readonly [proof: string | Uint8Array, says: string]>;
}

/** A timestamp authority (RFC 3161). Its timestamps are verified if there are trusted certificates. */
export function authority(url: string, trusted: Trusted | undefined): Witness {
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
      // The first byte makes the integer positive in ASN.1.
      const nonce = Buffer.concat([Buffer.of(1), randomBytes(15)]);
      const bytes = await stampBy(url, digest, nonce);
      const exam = {bytes, freeze: {as_of, descriptor: digest}, trusted, nonce, now: new Date().toISOString()};
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

/** Returns the path of a proof, relative to the root, and what it confirms: undefined if it already existed. */
async function confirm(root: string, freeze: Freeze, {name, ask}: Witness) {
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
      withFileErrors(stored, 'read', async () =>
        existsSync(join(root, stored)) ? readFile(join(root, stored), 'utf8') : undefined,
      ),
    save: transaction => replaceFile(root, stored, transaction),
  });
  await replaceFile(root, file, proof);
  await withFileErrors(stored, 'written', () => rm(join(root, stored), {force: true}));
  return {source, date, file, says};
}

/** Replaces a file in one step, and flushes it to disk before it resolves: after a crash, the file has the old or the new content. */
async function replaceFile(root: string, file: string, content: string | Uint8Array): Promise<void> {
  await withFileErrors(file, 'written', async () => {
    const fresh = join(root, dirname(file), `.${basename(file)}.new`);
    await mkdir(dirname(fresh), {recursive: true});
    await using handle = await open(fresh, 'w');
    await handle.writeFile(content);
    await handle.sync();
    await rename(fresh, join(root, file));
  });
}

/**
 * Returns the last freeze of a source, or of every source with freezes: a proof of the last freeze covers the whole chain. Throws
 * `InputError` if no freeze exists, or if the rows of a freeze do not match its descriptor.
 */
export async function headsOf(root: string, source: string | undefined): Promise<Freeze[]> {
  const name = new RegExp(SOURCE_NAME);
  if (source !== undefined && !name.test(source)) {
    const rule = `is not the name of a source, such as deny-list${sourceNameHint(source)}`;
    throw wrongUsage({code: 'FZ205', field: 'source', value: source, rule});
  }
  const sources = (ifReadable(() => readdirSync(join(root, SOURCES))) ?? []).filter(found => name.test(found));
  const heads = await mapAll(source === undefined ? sources.sort() : [source], async one => {
    const freezes = await located(root, () => (source === undefined ? freezesOf(root, one) : readFreezes(root, one)));
    const head = freezes.at(-1);
    if (head) await checkDigest(head, () => undefined);
    return head ? [head] : [];
  });
  if (heads.flat().length > 0) return heads.flat();
  const rule = 'does not contain a freeze';
  const fix = 'Make one with `frozen freeze`.';
  throw new InputError({code: 'FZ111', file: SOURCES, rule, fix});
}

const REQUEST_TYPE = 'application/timestamp-query';
const BOUNDS = {maxBytes: 1 << 20, timeoutMs: 30_000};

/**
 * Requests a timestamp for a digest (RFC 3161, section 3.4). Returns the answer, which is not checked.
 *
 * @param digest SHA-256 in lower-case hex
 */
export async function stampBy(url: string, digest: string, nonce: Uint8Array): Promise<Buffer> {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({algorithmId: SHA_256, algorithmParams: new Null()}),
      hashedMessage: new OctetString({valueHex: Buffer.from(digest, 'hex')}),
    }),
    nonce: new Integer({valueHex: nonce}),
    certReq: true,
  });
  const body = request.toSchema().toBER();
  const refused = (rule: string, cause?: unknown) =>
    new InputError({code: 'FZ124', url: shownAddress(url), rule}, {cause});
  try {
    const response = await boundedFetch(BOUNDS)(url, {method: 'POST', headers: {'Content-Type': REQUEST_TYPE}, body});
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) return bytes;
    throw refused(`answers ${response.status}, not 200`);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw refused(`does not answer: ${errorMessage(cause)}`, cause);
  }
}
