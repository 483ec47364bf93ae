import type {IncomingMessage, ServerResponse} from 'node:http';
import {encodePaymentRequiredHeader} from '@x402/core/http';
import type {PaymentRequired} from '@x402/core/types';
import {rawServer, type RawServer} from '../scripts/raw-server.ts';
import {BUCKET, type S3Server} from '../scripts/s3-server.ts';
import {behaviorFor, keyInS3} from './origin-model.ts';
import type {HeadersPolicy, Template, WebAcl} from './template.ts';
import {evaluate} from './waf-evaluator.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/**
 * Starts a real S3 server behind a model of CloudFront and AWS WAF. The model follows a generated template: rules,
 * cache behaviours, headers and error page.
 */
export function awsHost({Resources}: Template, {s3}: Pick<S3Server, 's3'>): Promise<RawServer> {
  const acl = Resources.WebAcl.Properties;
  const config = Resources.Distribution.Properties.DistributionConfig;

  async function answerTo(method: string, target: string): Promise<Answer> {
    const verdict = evaluate(acl, {method, target});
    if (verdict.action === 'Block') return blocked(acl, verdict.rule, verdict.status);
    if (verdict.action === 'Monetize') return asksForMoney(acl, target, verdict.multiplier);
    const behavior = behaviorFor(target.split('?')[0] ?? '', config);
    const policy =
      behavior.ResponseHeadersPolicyId.Ref === 'PaidHeaders' ? Resources.PaidHeaders : Resources.FreeHeaders;
    const found = behavior.AllowedMethods.includes(method)
      ? await fromBucket(keyInS3(target, config))
      : {status: 403, headers: {}};
    const page = config.CustomErrorResponses.find(({ErrorCode}) => ErrorCode === found.status);
    const shown = page ? {...(await fromBucket(page.ResponsePagePath.slice(1))), status: page.ResponseCode} : found;
    return {...shown, headers: {...shown.headers, ...headersOf(policy)}};
  }

  /**
   * Returns the response of S3 to CloudFront. CloudFront may read objects but not list them, so S3 answers 403 for a
   * missing object.
   */
  async function fromBucket(Key: string): Promise<Answer> {
    const object = await s3.getObject({Bucket: BUCKET, Key}).catch(() => undefined);
    if (!object?.Body) return {status: 403, headers: {}};
    const {ContentType = '', CacheControl = '', ETag = '', LastModified} = object;
    const headers = {'content-type': ContentType, 'cache-control': CacheControl, etag: ETag};
    const body = await object.Body.transformToByteArray();
    return {status: 200, headers: {...headers, 'last-modified': LastModified?.toUTCString() ?? ''}, body};
  }

  return rawServer(({method = '', url = ''}: IncomingMessage, outgoing: ServerResponse) => {
    void answerTo(method, url).then(({status, headers, body = ''}) => {
      outgoing.writeHead(status, {...headers, 'content-length': String(Buffer.byteLength(body))});
      outgoing.end(method === 'HEAD' ? '' : body);
    });
  });
}

function headersOf({Properties: {ResponseHeadersPolicyConfig: config}}: HeadersPolicy): Record<string, string> {
  const {Items = []} = config.CustomHeadersConfig ?? {};
  const custom = Items.map(({Header, Value}) => [Header.toLowerCase(), Value] as const);
  return {...Object.fromEntries(custom), 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff'};
}

function blocked({Rules, CustomResponseBodies = {}}: WebAcl, rule: string, status: number): Answer {
  const {ResponseHeaders = [], CustomResponseBodyKey = ''} =
    Rules.find(({Name}) => Name === rule)?.Action?.Block?.CustomResponse ?? {};
  const headers = Object.fromEntries(ResponseHeaders.map(({Name, Value}) => [Name, Value]));
  const body = CustomResponseBodies[CustomResponseBodyKey]?.Content ?? '';
  return {status, headers: {...headers, 'content-type': 'application/json'}, body};
}

/** Returns USDC on the network with this name at AWS. Its units are millionths of a dollar. */
const NETWORKS: Readonly<Record<string, {readonly network: `eip155:${string}`; readonly asset: string}>> = {
  BASE_SEPOLIA: {network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e'},
};

/** Returns the 402 of AWS WAF: only the header, with the base price times the multiplier of the rule. */
function asksForMoney({MonetizationConfig}: WebAcl, target: string, multiplier: number): Answer {
  const accepts = (MonetizationConfig?.CryptoConfig.PaymentNetworks ?? []).map(({Chain, WalletAddress, Prices}) => ({
    scheme: 'exact',
    ...(NETWORKS[Chain] ?? {network: 'eip155:0' as const, asset: ''}),
    amount: String(Math.round(Number(Prices[0]?.Amount) * multiplier * 1e6)),
    payTo: WalletAddress,
    maxTimeoutSeconds: 60,
    extra: {},
  }));
  const asked: PaymentRequired = {x402Version: 2, error: 'Payment required', resource: {url: target}, accepts};
  return {status: 402, headers: {'payment-required': encodePaymentRequiredHeader(asked)}};
}
