import {fromBER, GeneralizedTime, Integer, Primitive, Sequence, type BaseBlock} from 'asn1js';
import {PKIStatus, SignedData, TimeStampResp, TSTInfo} from 'pkijs';
import {InputError} from './fault.ts';

const SIGNED_DATA = '1.2.840.113549.1.7.2';
export const TST_INFO = '1.2.840.113549.1.9.16.1.4';
/** The object identifier of SHA-256. */
export const SHA_256 = '2.16.840.1.101.3.4.2.1';
const GRANTED: readonly number[] = [PKIStatus.granted, PKIStatus.grantedWithMods];

/** A parsed timestamp whose signature is not yet checked (RFC 3161, 2.4.2). */
export interface Stamp {
  readonly token: SignedData;
  readonly info: TSTInfo;
  /** The digest in the timestamp: a SHA-256 in lower-case hex. */
  readonly digest: string;
  readonly time: string;
  /** The latest time that `time` allows with its accuracy. */
  readonly latest: string;
}

/** Parses the response of an authority, a DER `TimeStampResp`. Throws `InputError` if it is invalid or not over a SHA-256. */
export function readStamp(file: string, bytes: Uint8Array): Stamp {
  const {status, timeStampToken} = withParseErrors(file, () => TimeStampResp.fromBER(wholeValue(bytes)));
  if (!GRANTED.includes(status.status) || !timeStampToken) {
    const words = (status.statusStrings ?? []).map(({valueBlock}) => valueBlock.value).join(' ');
    throw new InputError({
      code: 'FZ113',
      file,
      rule: `is not a timestamp: the authority refused the request: ${words || `status ${status.status}`}`,
    });
  }
  const token = withParseErrors(file, () => {
    if (timeStampToken.contentType !== SIGNED_DATA) throw new Error('its token is not signed');
    return new SignedData({schema: timeStampToken.content});
  });
  const {info, accuracy} = withParseErrors(file, () => infoIn(token));
  const {hashAlgorithm, hashedMessage} = info.messageImprint;
  if (hashAlgorithm.algorithmId !== SHA_256)
    throw new InputError({code: 'FZ113', file, rule: 'is not a timestamp of a SHA-256'});
  const digest = Buffer.from(hashedMessage.valueBlock.valueHexView).toString('hex');
  const latest = new Date(info.genTime.getTime() + accuracy);
  return {token, info, digest, time: info.genTime.toISOString(), latest: latest.toISOString()};
}

function infoIn({encapContentInfo: {eContentType, eContent}}: SignedData) {
  if (eContentType !== TST_INFO || !eContent) throw new Error('its token is about something else than a time');
  const bytes = wholeValue(new Uint8Array(eContent.getValue()));
  const info = TSTInfo.fromBER(bytes);
  if (Number.isNaN(info.genTime.getTime())) throw new Error('its time does not exist');
  return {info, accuracy: accuracyIn(bytes)};
}

/** The bytes of exactly one DER value, without further bytes after it. */
function wholeValue(bytes: Uint8Array): ArrayBuffer {
  const copy = new Uint8Array(bytes).buffer;
  if (fromBER(copy).offset !== copy.byteLength) throw new Error('it is not DER, or there is more behind it');
  return copy;
}

/** Parsing throws many kinds of errors, all of which are errors of the file. */
function withParseErrors<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new InputError(
      {code: 'FZ113', file, rule: `is not an answer of a timestamp authority (RFC 3161): ${why}`},
      {cause},
    );
  }
}

/** One day. A larger accuracy is useless. */
const MOST_SECONDS = 86_400;
/** The largest value of `millis` and `micros` (RFC 3161, 2.4.2). */
const MOST_PART = 999;

/**
 * Returns the accuracy of a `TSTInfo` in milliseconds, rounded up; 0 by default. Reads the bytes directly, because pkijs returns 0 for
 * a number of more than four bytes. Throws an `Error` if the accuracy is negative or out of its range.
 */
export function accuracyIn(info: ArrayBuffer): number {
  const members = sequenceMembers(fromBER(info).result);
  const at = members.findIndex(member => member instanceof GeneralizedTime) + 1;
  const [seconds, millis, micros] = accuracyParts(members[at]);
  if (!isWithin(seconds, MOST_SECONDS)) throw new Error(`its accuracy is not 0 to ${MOST_SECONDS} seconds`);
  if (!isWithin(millis, MOST_PART) || !isWithin(micros, MOST_PART))
    throw new Error(`its accuracy has milliseconds or microseconds that are not 0 to ${MOST_PART}`);
  return seconds * 1000 + millis + Math.ceil(micros / 1000);
}

/** Seconds, milliseconds and microseconds. */
function accuracyParts(accuracy: BaseBlock | undefined): [number, number, number] {
  const parts: [number, number, number] = [0, 0, 0];
  if (!(accuracy instanceof Sequence)) return parts;
  for (const member of sequenceMembers(accuracy)) {
    const isTagged = member instanceof Primitive && member.idBlock.tagClass === CONTEXT;
    const place = isTagged ? member.idBlock.tagNumber + 1 : 0;
    if (!(isTagged || member instanceof Integer) || place > 2)
      throw new Error('its accuracy has a member of another kind');
    parts[place] = numberIn((member as Integer).valueBlock.valueHexView);
  }
  return parts;
}

const CONTEXT = 3;

/** Returns the members of an ASN.1 SEQUENCE; none of another value. */
export function sequenceMembers(value: unknown): readonly BaseBlock[] {
  return value instanceof Sequence ? value.valueBlock.value : [];
}

/** Returns the value of an INTEGER of any length. A large one is approximate. */
export function numberIn(bytes: Uint8Array): number {
  const magnitude = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return (bytes[0] ?? 0) < 128 ? magnitude : magnitude - 256 ** bytes.length;
}

function isWithin(number: number, most: number): boolean {
  return number >= 0 && number <= most;
}
