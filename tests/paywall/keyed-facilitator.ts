import {Hono} from 'hono';
import {decodeProtectedHeader, importJWK, jwtVerify} from 'jose';
import {generateKeyPairSync, type KeyObject} from 'node:crypto';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';

/** A key of Coinbase: the two variables, and the key that verifies its tokens. */
export interface ApiKey {
  readonly env: {readonly CDP_API_KEY_ID: string; readonly CDP_API_KEY_SECRET: string};
  readonly alg: 'EdDSA' | 'ES256';
  readonly publicKey: KeyObject;
}

/** A facilitator that requires a token, as Coinbase's does. */
export interface KeyedFacilitator extends Listening {
  /** Every request in order: `POST /settle` and the reason of its refusal, or `ok`. */
  readonly asked: string[];
  /** The time by which its clock is ahead of ours, in milliseconds. */
  ahead: number;
  /** A path with the response 403 to every key. */
  refuses: string;
}

const LIFETIME_S = 120;
const LEEWAY_S = 1;

/** Creates an Ed25519 key in the form that Coinbase uses: base64 of seed and public key. */
export function edwardsKey(): ApiKey {
  const {privateKey, publicKey} = generateKeyPairSync('ed25519');
  const {d = '', x = ''} = privateKey.export({format: 'jwk'});
  const bytes = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  const env = {CDP_API_KEY_ID: 'b1f7c1a2-edwards', CDP_API_KEY_SECRET: bytes.toString('base64')};
  return {env, alg: 'EdDSA', publicKey};
}

/** Creates an EC key as PEM, in one of its two forms. */
export function curveKey(type: 'pkcs8' | 'sec1', namedCurve = 'P-256'): ApiKey {
  const {privateKey, publicKey} = generateKeyPairSync('ec', {namedCurve});
  const pem = privateKey.export({format: 'pem', type}).toString();
  return {env: {CDP_API_KEY_ID: `organizations/a/apiKeys/${type}`, CDP_API_KEY_SECRET: pem}, alg: 'ES256', publicKey};
}

/** Adds a check of tokens in front of a facilitator. It accepts each token once. */
export async function startKeyedFacilitator(behind: string, key: ApiKey): Promise<KeyedFacilitator> {
  const seen = new Set<string>();
  const verifier = await importJWK(key.publicKey.export({format: 'jwk'}) as Parameters<typeof importJWK>[0], key.alg);

  async function faultOf(request: Request): Promise<string | undefined> {
    const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.get('Authorization') ?? '') ?? [];
    if (!token) return 'no token';
    if (seen.has(token)) return 'replayed';
    const now = Date.now() + facilitator.ahead;
    const {host, pathname} = new URL(request.url);
    try {
      const {kid, nonce, typ} = decodeProtectedHeader(token) as Record<string, unknown>;
      if (kid !== key.env.CDP_API_KEY_ID || typ !== 'JWT' || !/^[0-9a-f]{32}$/.test(String(nonce))) return 'header';
      const {payload} = await jwtVerify(token, verifier, {
        algorithms: [key.alg],
        issuer: 'cdp',
        subject: key.env.CDP_API_KEY_ID,
        requiredClaims: ['iat', 'nbf', 'exp', 'uris'],
        clockTolerance: LEEWAY_S,
        currentDate: new Date(now),
      });
      const {uris, iat = 0, nbf = 0, exp = 0} = payload;
      if (JSON.stringify(uris) !== JSON.stringify([`${request.method} ${host}${pathname}`])) return 'uris';
      if (nbf !== iat || exp !== iat + LIFETIME_S) return 'times';
      if (Object.keys(payload).sort().join() !== 'exp,iat,iss,nbf,sub,uris') return 'claims';
    } catch (error) {
      return (error as Error).message;
    }
    seen.add(token);
    return undefined;
  }

  const app = new Hono().all('*', async c => {
    const fault = await faultOf(c.req.raw.clone());
    facilitator.asked.push(`${c.req.method} ${c.req.path} ${fault ?? 'ok'}`);
    const date = new Date(Date.now() + facilitator.ahead).toUTCString();
    if (c.req.path === facilitator.refuses) return c.text('forbidden', 403);
    if (fault) return c.json({error: fault, sent: c.req.header('Authorization')}, 401, {Date: date});
    const body = c.req.method === 'POST' ? {body: await c.req.text()} : {};
    const headers = {'Content-Type': 'application/json'};
    const answer = await fetch(behind + c.req.path, {method: c.req.method, headers, ...body});
    return new Response(await answer.text(), {status: answer.status, headers: {...headers, Date: date}});
  });
  const facilitator: KeyedFacilitator = {...(await listen(app)), asked: [], ahead: 0, refuses: ''};
  return facilitator;
}
