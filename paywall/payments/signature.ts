import {concat, domainSeparator, encodeAbiParameters, hexToBytes, keccak256, slice, stringToHex} from 'viem';
import type {Address, Hex} from 'viem';
import type {PaymentRequirements} from '@x402/core/types';
import type {Claim} from './claim.ts';

/** Who signed a claim: its payer, nobody whom the token takes for the payer, or only the chain can tell. */
export type Signer = 'payer' | 'nobody' | 'ask';

/** The code of x402 for a claim that its payer has not signed. */
export const INVALID_SIGNATURE = 'invalid_exact_evm_signature';

/**
 * Recovers the address whose key signed a digest of 32 bytes. The signature is the 65 bytes r, s and v, which is 0, 1, 27
 * or 28. Throws where no key can have made it.
 */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => string | Promise<string>;

const TYPE_HASH = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);
const [bytes32, address, uint256] = [{type: 'bytes32'}, {type: 'address'}, {type: 'uint256'}] as const;
const FIELDS = [bytes32, address, address, uint256, uint256, uint256, bytes32] as const;
/** Half the order of secp256k1: above it a signature has a second spelling, which USDC refuses. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** 65 bytes in hex, with `0x`. */
const SIGNATURE_LENGTH = 132;

/** Whether a signature is that of a key, which no chain is needed to check. Contract wallets have longer ones (ERC-1271, ERC-6492). */
export function isOfKey(signature: string): boolean {
  return signature.length === SIGNATURE_LENGTH;
}

/**
 * A check of claims on one way to pay: the signature has to be the payer's own under `TransferWithAuthorization` (EIP-3009,
 * EIP-712) of the token that is asked for.
 */
export function signatureCheck({network, asset, extra}: PaymentRequirements, recover: Recover) {
  const domain = domainSeparator({
    domain: {
      name: String(extra['name']),
      version: String(extra['version']),
      chainId: Number(network.split(':')[1]),
      verifyingContract: asset as Address,
    },
  });
  return async function signedBy({payload: {signature, authorization}}: Pick<Claim, 'payload'>): Promise<Signer> {
    if (!isOfKey(signature)) return 'ask';
    const digest = () => digestOf(authorization, domain);
    return (await isByKeyOf(authorization.from, digest, signature as Hex, recover)) ? 'payer' : 'nobody';
  };
}

/** Whether a digest was signed by the key of an address. A digest that cannot be worked out was not. */
export async function isByKeyOf(
  address: string,
  digest: () => Uint8Array,
  signature: Hex,
  recover: Recover,
): Promise<boolean> {
  if (!isWellFormed(signature)) return false;
  try {
    const signer = await recover(digest(), hexToBytes(signature));
    return signer.toLowerCase() === address.toLowerCase();
  } catch {
    return false; // r on no point of the curve, or a number beyond uint256
  }
}

/** Whether r, s and v are such as the token takes; 0 and 1 in place of 27 and 28 are for the facilitator to translate. */
function isWellFormed(signature: Hex): boolean {
  return BigInt(slice(signature, 32, 64)) <= HALF_ORDER && [0, 1, 27, 28].includes(Number(slice(signature, 64)));
}

/** As viem's `hashTypedData`, which works the domain and the type out for every message. */
function digestOf(
  {from, to, value, validAfter, validBefore, nonce}: Claim['payload']['authorization'],
  domain: Hex,
): Uint8Array {
  const struct = encodeAbiParameters(FIELDS, [
    TYPE_HASH,
    // In small letters: viem refuses an address whose capitals are no checksum.
    from.toLowerCase() as Address,
    to.toLowerCase() as Address,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
  ]);
  return keccak256(concat(['0x1901', domain, keccak256(struct)]), 'bytes');
}
