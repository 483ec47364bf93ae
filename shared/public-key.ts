/** The public half of a site's signing key (Ed25519), as in `data/site.json`, the catalogue and the rules. */
export interface PublicKey {
  /** RFC 7638 thumbprint of the key. */
  readonly kid: string;
  /** RFC 8037: the 32 bytes in base64url. */
  readonly x: string;
}

/** An earlier signing key of a site. */
export interface FormerKey extends PublicKey {
  readonly since?: string;
  readonly until: string;
  /** The next key, signed with this one (compact JWS). Absent if this key was lost. */
  readonly signed_next?: string;
}

/** The signing key of a site, with its former keys, oldest first. */
export interface Signing extends PublicKey {
  /** A date, as in former keys. */
  readonly since?: string;
  readonly former?: readonly FormerKey[];
}

/** 32 bytes in base64url: a key, or its thumbprint. */
export const KEY_PATTERN = '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$';

/** True if a value matches `KEY_PATTERN`. */
export function isKeyText(value: unknown): value is string {
  return typeof value === 'string' && new RegExp(KEY_PATTERN).test(value);
}

/** Returns a text that has the form of a `kid` or `x`. Throws if it does not. */
export function parseKeyText(text: string): string {
  if (isKeyText(text)) return text;
  throw new Error('It is neither the kid nor the x of a key.');
}

const keyText = (description: string) => ({type: 'string', pattern: KEY_PATTERN, description}) as const;
const date = {type: 'string', format: 'date', description: 'a date such as 2026-05-01'} as const;
const key = {
  kid: keyText('the thumbprint of a key (RFC 7638), as `frozen sign new-key` prints it'),
  x: keyText('an Ed25519 public key in base64url'),
  since: date,
} as const;
const signedNext = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]+$',
  maxLength: 1000,
  description: 'a compact JWS, as `frozen sign next-key` prints it',
} as const;

/** JSON Schema of `signing` in `data/site.json`. */
export const signingSchema = {
  type: 'object',
  required: ['kid', 'x'],
  additionalProperties: false,
  properties: {
    ...key,
    former: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['kid', 'x', 'until'],
        additionalProperties: false,
        properties: {...key, until: date, signed_next: signedNext},
      },
    },
  },
} as const;
