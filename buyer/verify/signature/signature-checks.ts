import {setTimeout as sleep} from 'node:timers/promises';
import {MOST_SIGNATURE_BYTES, signatureFault, textOf} from '../../../shared/detached-signature.ts';
import {leadsTo, nextKey, type LinkedKey} from '../../../shared/next-key.ts';
import {JSON_TYPE, KEYS, paths, SIGNATURE_TYPE} from '../../../shared/paths.ts';
import type {PublicKey} from '../../../shared/public-key.ts';
import type {Catalogue} from '../../../shared/shapes.ts';
import {kidFault} from '../../../shared/signing-key.ts';
import {MAX_SITE_BYTES} from '../bounds.ts';
import {failed, noted, passed, checksFromError, verdict, type Check} from '../check.ts';
import type {SiteReader} from '../site-reader.ts';
import {keysIn, MOST_JWKS_BYTES, isPinned, type Pin} from './pin.ts';

const WHAT = 'signature';
const KEY = 'key';
const SET = 'keys';

/** The time in which most hosts replace the files of a deployment. */
const LAG_MS = 1000;

/** Checks the signature of a catalogue and its key. There are no checks for a site without a key, unless one is known. */
export async function signatureChecks(
  reader: SiteReader,
  {catalogue, bytes}: {readonly catalogue: Catalogue; readonly bytes: Uint8Array},
  pin?: Pin,
): Promise<Check[]> {
  const {signing: key} = catalogue;
  if (!key) {
    return pin ? [failed(KEY, paths.catalogue, `names no key, but ${pin.by} names the key ${pin.key}`)] : [];
  }
  const fault = await kidFault(key);
  if (fault !== undefined) return [failed(KEY, paths.catalogue, fault)];
  return [...(await bytesChecks(reader, bytes, key)), ...(await keyChecks(reader, key, pin))];
}

/** Checks the signature. A mismatch may be caused by a deployment in progress, so both files are read again. */
async function bytesChecks(reader: SiteReader, bytes: Uint8Array, key: PublicKey): Promise<Check[]> {
  const first = await signedBy(reader, bytes, key);
  if (first.every(({state}) => state === 'passed')) return first;
  if (reader.isGated) await sleep(LAG_MS);
  const {bytes: now = bytes} = await reader.read(paths.catalogue, JSON_TYPE, MAX_SITE_BYTES);
  if (Buffer.compare(now, bytes) === 0) return signedBy(reader, bytes, key);
  const isWhole = (await signedBy(reader, now, key)).every(({state}) => state === 'passed');
  const meanwhile = 'the catalogue was replaced during the check: run the command again';
  return isWhole ? [failed(WHAT, paths.signature, meanwhile)] : first;
}

async function signedBy(reader: SiteReader, bytes: Uint8Array, key: PublicKey): Promise<Check[]> {
  const {bytes: signature, checks} = await reader.read(paths.signature, SIGNATURE_TYPE, MOST_SIGNATURE_BYTES);
  if (!signature) return unread(WHAT, paths.signature, checks);
  const fault = await signatureFault(textOf(signature), bytes, key);
  return [
    ...checks,
    ...verdict(WHAT, paths.signature, fault === undefined ? [] : [fault], `is a signature with the key ${key.kid}`),
  ];
}

/** Converts failures to read a file to failures of the check that needs it. */
function unread(what: string, path: string, checks: readonly Check[]): Check[] {
  return checks.flatMap(({state, detail}) => (state === 'failed' ? [failed(what, path, detail)] : []));
}

/** Checks that the key is the known one or its successor. Notes if none is known. */
async function keyChecks(reader: SiteReader, key: PublicKey, pin?: Pin): Promise<Check[]> {
  const {path, type} = KEYS.jwks;
  const {bytes, checks} = await reader.read(path, type, MOST_JWKS_BYTES);
  if (!bytes) return unread(SET, path, checks);
  try {
    const keys = await keysIn(bytes, {file: path});
    return [...(await setChecks(key, keys)), await trust(key, keys, pin)];
  } catch (error) {
    return checksFromError(SET, path, error);
  }
}

async function setChecks(key: PublicKey, keys: readonly LinkedKey[]): Promise<Check[]> {
  const known = new Set(keys.map(({kid}) => kid));
  const faults = await Promise.all(
    keys.map(async linked => {
      if (linked.signed_next === undefined) return [];
      const next = await nextKey(linked);
      if (!next) return [`names a next key for ${linked.kid} that is not signed by this key`];
      return known.has(next.kid) ? [] : [`lacks ${next.kid}, which ${linked.kid} signed as the next key`];
    }),
  );
  const all = [...(known.has(key.kid) ? [] : [`lacks the key of the catalogue, ${key.kid}`]), ...faults.flat()];
  const fine = 'has the key of the catalogue, and each next key is signed by the one that names it';
  return verdict(SET, KEYS.jwks.path, all, fine);
}

const FIRST_USE =
  'is trusted on first use, because only the site itself names it. Ask the publisher for the key, and pass it with --site-key';

async function trust(key: PublicKey, keys: readonly LinkedKey[], pin?: Pin): Promise<Check> {
  if (!pin) return noted(KEY, key.kid, FIRST_USE);
  if (isPinned(pin, key)) return passed(KEY, key.kid, `is the one that ${pin.by} names`);
  const before = keys.find(known => isPinned(pin, known));
  return before && (await leadsTo(before, key, keys))
    ? passed(KEY, key.kid, `follows the one that ${pin.by} names, each signed by the one before it`)
    : failed(KEY, key.kid, `is not ${pin.key}, which ${pin.by} names, and was not signed by it as the next one`);
}
