import {randomBytes} from 'node:crypto';
import {Integer, Null, OctetString} from 'asn1js';
import {AlgorithmIdentifier, MessageImprint, TimeStampReq} from 'pkijs';
import {readStamp} from '../../shared/time-stamp.ts';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const REQUEST_TYPE = 'application/timestamp-query';
const BOUNDS = {maxBytes: 1 << 20, timeoutMs: 30_000};

/**
 * Requests a timestamp for a digest (RFC 3161, section 3.4). Throws `InputError` unless the answer has this digest and the nonce of the
 * request. Does not verify the signature.
 *
 * @param digest SHA-256 in lower-case hex
 */
export async function stampBy(url: string, digest: string): Promise<Buffer> {
  const file = shownAddress(url);
  // The first byte makes the integer positive in ASN.1.
  const nonce = Buffer.concat([Buffer.of(1), randomBytes(15)]);
  const answer = await post(url, file, requestOf(digest, nonce));
  const {info, digest: stamped} = readStamp(file, answer);
  if (stamped !== digest) throw refused(file, `stamped ${stamped}, not ${digest}`);
  if (!info.nonce || !nonce.equals(info.nonce.valueBlock.valueHexView))
    throw refused(file, 'answered another request: the nonce is not that of this one');
  return answer;
}

function refused(subject: string, rule: string, cause?: unknown): InputError {
  return new InputError({code: 'FZ124', subject, rule}, {cause});
}

function requestOf(digest: string, nonce: Buffer): Uint8Array<ArrayBuffer> {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({algorithmId: SHA_256, algorithmParams: new Null()}),
      hashedMessage: new OctetString({valueHex: new Uint8Array(Buffer.from(digest, 'hex')).buffer}),
    }),
    nonce: new Integer({valueHex: new Uint8Array(nonce).buffer}),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER());
}

async function post(url: string, file: string, body: Uint8Array<ArrayBuffer>): Promise<Buffer> {
  try {
    const response = await boundedFetch(BOUNDS)(url, {method: 'POST', headers: {'Content-Type': REQUEST_TYPE}, body});
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) return bytes;
    throw refused(file, `answers ${response.status}, not 200`);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw refused(file, `does not answer: ${errorMessage(cause)}`, cause);
  }
}
