import {readStamp} from '../../shared/time-stamp.ts';
import {earlinessOf} from '../../shared/proof.ts';
import type {ListedFreeze} from '../../shared/shapes.ts';
import {subjectOf} from './certificates.ts';
import {checksFromError, noted, verdict, type Check} from './check.ts';
import {signatureOf} from './stamp-signature.ts';
import {verifyCertificateChain, type Trusted} from './stamp-trust.ts';
import {PROOF, type ProofResult} from './proof-result.ts';

/** A timestamp (RFC 3161), its freeze, and the trusted certificates. */
export interface StampExam {
  readonly bytes: Uint8Array;
  readonly freeze: Pick<ListedFreeze, 'as_of' | 'descriptor'>;
  readonly trusted: Trusted | undefined;
  readonly now: string;
}

/** Returns all checks of a timestamp, and a result if none failed. */
export async function examineStamp(
  subject: string,
  {bytes, freeze, trusted, now}: StampExam,
): Promise<{checks: Check[]; result?: ProofResult}> {
  try {
    const stamp = readStamp(subject, bytes);
    const {digest, time, latest} = stamp;
    const early = earlinessOf(latest, freeze.as_of);
    const {signer, faults} = await signatureOf(stamp);
    const own = [
      ...(digest === freeze.descriptor
        ? []
        : [`is for the digest ${digest}, not for that of the freeze, ${freeze.descriptor}`]),
      ...(early === undefined ? [] : [early]),
      ...(earlinessOf(now, time) === undefined ? [] : [`has the time ${time}, which is in the future`]),
      ...faults,
    ];
    if (!signer || own.length > 0) return {checks: verdict(PROOF, subject, own, '')};
    const by = subjectOf(signer);
    const said = `stamped ${time} by ${by}`;
    if (!trusted)
      return {checks: verdict(PROOF, subject, [], said), result: {by, witness: by, latest, isTrusted: false}};
    const verified = await verifyCertificateChain(signer, time, stamp.token, trusted);
    if ('fault' in verified) return {checks: verdict(PROOF, subject, [verified.fault], '')};
    const fine = [said, `vouched for by ${verified.by}`, ...verified.notes].join('; ');
    const unlisted = verified.unlisted.map(one =>
      noted(PROOF, subject, `no given revocation list was current at that time for ${one}`),
    );
    return {
      checks: [...verdict(PROOF, subject, [], fine), ...unlisted],
      result: {by, witness: by, latest, isTrusted: true},
    };
  } catch (error) {
    return {checks: checksFromError(PROOF, subject, error)};
  }
}
