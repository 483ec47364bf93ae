import {refuse, type Fault} from '../../shared/fault.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import {ownershipProof, proverOf} from '../../shared/ownership.ts';
import {signingSchema, type FormerKey, type PublicKey, type Signing} from '../../shared/public-key.ts';
import {isMoneyMixed, payeeFaults, type Payee, type PayeeFault} from '../../shared/payees.ts';
import {DEFAULT_REDOWNLOAD_DAYS, MOST_REDOWNLOAD_DAYS} from '../../shared/shapes.ts';
import {readJsonFile, faultsIn} from './json-file.ts';
import {encode} from '../../shared/encode.ts';
import {parse} from '../../shared/json-text.ts';
import {lineOf, lineOfText} from '../../shared/line-of-text.ts';
import {compile, object, type Accepted} from './validator.ts';

const webAddress = {
  type: 'string',
  format: 'uri',
  pattern: '^https?://',
  description: 'an absolute http(s) address',
} as const;

export const network = {
  type: 'string',
  pattern: '^eip155:[1-9][0-9]{0,31}$',
  description: 'an EVM network in CAIP-2 form, such as eip155:8453',
} as const;

const payee = object({
  network,
  pay_to: {
    type: 'string',
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'an EVM address: 0x and 40 hexadecimal digits',
  },
});
const email = {type: 'string', format: 'email', description: 'an e-mail address'} as const;

const members = {
  title: lineOfText,
  description: lineOf(500),
  contact: {...object({email, url: webAddress}, []), minProperties: 1},
  license: object({name: lineOfText, url: webAddress}),
  base_url: {
    type: 'string',
    format: 'origin',
    description: 'an http(s) origin such as https://snapshots.example: no path, no slash at the end',
  },
  payment: object({
    accepts: {type: 'array', minItems: 1, items: payee},
    facilitator_url: {
      type: 'string',
      format: 'uri',
      pattern: '^https?://[^/?#@]+([/?#]|$)',
      description: 'an absolute http(s) address without credentials',
    },
  }),
  ownership_proofs: {type: 'array', minItems: 1, uniqueItems: true, items: ownershipProof},
  signing: signingSchema,
  worker: {
    type: 'string',
    pattern: '^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$',
    description: 'the name of a Cloudflare Worker: lower-case letters, digits and hyphens, at most 54 characters',
  },
} as const;
const redownloadDays = {
  type: 'integer',
  minimum: 0,
  maximum: MOST_REDOWNLOAD_DAYS,
  default: DEFAULT_REDOWNLOAD_DAYS,
  description: `a whole number of days, 0 to ${MOST_REDOWNLOAD_DAYS}`,
} as const;
const required = ['title', 'base_url', 'payment'] as const;

const siteSchema = (names: readonly string[]) => {
  const hosts = {type: 'array', uniqueItems: true, items: {enum: names}} as const;
  return object({...members, redownload_days: redownloadDays, hosts}, required);
};

/** `data/site.json`. Without `hosts`, files are written for every host that can sell the site. */
export type Site = Accepted<ReturnType<typeof siteSchema>> & {
  readonly redownload_days: number;
};

/** A site without the optional members of the build. */
export type PlainSite = Omit<Site, 'hosts' | 'redownload_days'>;

/** Reads `data/site.json`. Its `hosts` may list the given names. */
export async function readSite(root: string, hosts: readonly string[]): Promise<Site> {
  const site = readJsonFile(root, SITE_FILE, compile<Site>(siteSchema(hosts)));
  refuse([...(await faultsOfPayees(site)), ...(await faultsOfProofs(site)), ...(await faultsOfSigning(site))]);
  return site;
}

/** The members that signing needs, which can be checked before all others. */
export const signedSite = {
  type: 'object',
  required: ['base_url'],
  properties: {base_url: members.base_url, signing: members.signing},
} as const;

export type SignedSite = Accepted<typeof signedSite>;

/** The members that ownership proofs need, before payees and proofs are checked. */
export const unprovenSite = {
  type: 'object',
  required: ['base_url', 'payment'],
  properties: {base_url: members.base_url, payment: members.payment, ownership_proofs: members.ownership_proofs},
} as const;

export type UnprovenSite = Accepted<typeof unprovenSite>;

/** Returns the errors that `readSite` would report if a site were written to `data/site.json`. */
export async function siteFaults(site: PlainSite): Promise<readonly Fault[]> {
  const {faults} = faultsIn(parse({file: SITE_FILE}, encode(site)), compile(object(members, required)));
  return faults.length > 0 ? faults : faultsOfPayees(site);
}

async function faultsOfPayees({payment: {accepts}}: Pick<Site, 'payment'>): Promise<Fault[]> {
  const faults = accepts.map(async (payee, index) => {
    const at = (member: keyof Payee, rule: string): Fault => {
      const field = `payment.accepts[${index}].${member}`;
      return {code: 'FZ207', file: SITE_FILE, field, value: payee[member], rule};
    };
    const isSecond = accepts.findIndex(({network}) => network === payee.network) < index;
    const found = (await payeeFaults(payee)).map(kind => at(...PAYEE_RULES[kind](payee)));
    return isSecond ? [at('network', 'is listed twice'), ...found] : found;
  });
  const found = (await Promise.all(faults)).flat();
  if (found.length > 0 || !(await isMoneyMixed(accepts))) return found;
  const rule = 'mixes test and main networks: buyers could pay with test money';
  return [{code: 'FZ207' as const, file: SITE_FILE, field: 'payment.accepts', rule}];
}

/** An ownership proof is valid for only one `base_url`. */
async function faultsOfProofs({base_url, payment, ownership_proofs = []}: UnprovenSite): Promise<Fault[]> {
  const faults = ownership_proofs.map(async (proof, index) => {
    if (await proverOf(proof, base_url, payment.accepts)) return [];
    const rule = `is not signed by a payee of this site for ${base_url}`;
    return [{code: 'FZ211' as const, file: SITE_FILE, field: `ownership_proofs[${index}]`, value: proof, rule}];
  });
  return (await Promise.all(faults)).flat();
}

const PAYEE_RULES: Readonly<Record<PayeeFault, (payee: Payee) => [member: keyof Payee, rule: string]>> = {
  'no-address': () => [
    'pay_to',
    'has upper and lower case that are not its checksum (EIP-55): look for a mistyped digit',
  ],
  'no-dollar': () => [
    'network',
    'is not a network on which x402 has a dollar token that accepts authorizations (EIP-3009)',
  ],
  nobody: ({network}) => ['pay_to', `is an address without an owner: money paid on ${network} would be lost`],
};

/** Checks that each key has its own thumbprint, and that each former key has signed the next one, unless it was lost. */
export async function faultsOfSigning({signing}: {readonly signing?: Signing | undefined}): Promise<Fault[]> {
  if (!signing) return [];
  // Loaded late, because few sites have a key.
  const [{nextKey}, {pointFault, thumbprintOf}] = await Promise.all([
    import('../../shared/next-key.ts'),
    import('../../shared/signing-key.ts'),
  ]);
  const {former = []} = signing;
  const keys: readonly (PublicKey & Partial<FormerKey>)[] = [...former, signing];
  const found = keys.map(async (key, index): Promise<Fault[]> => {
    const at = index < former.length ? `signing.former[${index}]` : 'signing';
    const fault = (member: keyof FormerKey, rule: string) => {
      return {code: 'FZ208' as const, file: SITE_FILE, field: `${at}.${member}`, value: key[member], rule};
    };
    const {kid, x, since, until, signed_next} = key;
    const [thumbprint, pointless] = [await thumbprintOf(x), await pointFault(key)];
    const next = keys[index + 1];
    const isSigned = signed_next === undefined || (await nextKey(key))?.kid === next?.kid;
    return [
      ...(pointless === undefined ? [] : [fault('x', pointless)]),
      ...(kid === thumbprint ? [] : [fault('kid', `is not the thumbprint of x (RFC 7638), which is ${thumbprint}`)]),
      ...(keys.findIndex(other => other.kid === kid) < index ? [fault('kid', 'is listed twice')] : []),
      ...(until !== undefined && since !== undefined && until < since ? [fault('until', `is before since`)] : []),
      ...(isSigned ? [] : [fault('signed_next', `is not by this key over the next one, ${next?.kid}`)]),
    ];
  });
  return (await Promise.all(found)).flat();
}
