import {createSIWxPayload, encodeSIWxHeader} from '@x402/extensions/sign-in-with-x';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {rawRequest} from '../leak-table.ts';
import type {Leak, Target} from '../leak-table.ts';
import {completed} from '../sign-in.ts';

/** Sign-ins of an account without purchases. The signatures are genuine. */
export async function signIns({host, path, challenge, otherChallenge}: Target): Promise<Leak[]> {
  const otherAccount = privateKeyToAccount(generatePrivateKey());
  const signed = async (asked: typeof challenge) => {
    const info = completed(asked);
    return encodeSIWxHeader(await createSIWxPayload(info, otherAccount, info.uri));
  };
  const {info: sold} = (challenge as {extensions?: {snapshot?: {info?: {sha256?: string}}}}).extensions?.snapshot ?? {};
  const good = `SIGN-IN-WITH-X: ${await signed(challenge)}`;
  const digest = `Snapshot-SHA256: ${sold?.sha256 ?? ''}`;
  const attempts: Record<string, string[]> = {
    'a sign-in of an unknown account': [good],
    'a sign-in for another document': [`SIGN-IN-WITH-X: ${await signed(otherChallenge)}`],
    'two sign-ins': [good, good],
    'a sign-in for the bytes for sale': [good, digest],
    'a sign-in for other bytes': [good, `Snapshot-SHA256: ${'0'.repeat(64)}`],
    'the digest alone': [digest],
    'a range of a sign-in': [good, 'Range: bytes=0-0'],
    'an empty sign-in': ['SIGN-IN-WITH-X: '],
    'a sign-in that is not base64': ['SIGN-IN-WITH-X: !!!'],
    'a sign-in of 14 kB': [`SIGN-IN-WITH-X: ${'A'.repeat(14_000)}`],
  };
  return Object.entries(attempts).map(([name, headers]) => ({
    name,
    request: rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${host}`, ...headers]),
  }));
}
