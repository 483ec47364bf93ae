import type {Hosted} from '../host.ts';

/** Cache policies that CloudFront has ready in every account. */
const CACHING_OPTIMIZED = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';

const NOT_FOUND_SECONDS = 10;

// Requests reach S3 without query, cookies or the client's headers: there is no origin request policy.
const behavior = {TargetOriginId: 'bucket', AllowedMethods: ['GET', 'HEAD'], CachedMethods: ['GET', 'HEAD']};

const free = {
  ...behavior,
  Compress: true,
  CachePolicyId: CACHING_OPTIMIZED,
  ResponseHeadersPolicyId: {Ref: 'FreeHeaders'},
};

/** Never cached: it is not documented that a cache hit settles the payment. Nor is a payment taken over plain HTTP. */
const paid = {
  ...behavior,
  Compress: false,
  CachePolicyId: CACHING_DISABLED,
  ResponseHeadersPolicyId: {Ref: 'PaidHeaders'},
  ViewerProtocolPolicy: 'https-only',
};

/** In order: the first pattern that matches decides, `*` crosses `/`. Paid documents have no extension. */
const behaviors = [
  {PathPattern: '/api/*.json', ...free, ViewerProtocolPolicy: 'https-only'},
  {PathPattern: '/api/*', ...paid},
];

/** S3 answers 403 for a key that does not exist. No answer becomes a 2xx, which would settle a payment. */
const errors = [403, 404].map(code => ({
  ErrorCode: code,
  ResponseCode: 404,
  ResponsePagePath: '/404.html',
  ErrorCachingMinTTL: NOT_FOUND_SECONDS,
}));

const orNothing = (value: unknown) => ({'Fn::If': ['HasCertificate', value, {Ref: 'AWS::NoValue'}]});

const certificate = {
  AcmCertificateArn: orNothing({Ref: 'CertificateArn'}),
  SslSupportMethod: orNothing('sni-only'),
  MinimumProtocolVersion: orNothing('TLSv1.2_2021'),
  CloudFrontDefaultCertificate: {'Fn::If': ['HasCertificate', {Ref: 'AWS::NoValue'}, true]},
};

/** Serves the bucket behind the web ACL; under the site's own name once its certificate is given. */
export function distribution(site: Hosted['site']): object {
  const config = {
    Enabled: true,
    Comment: 'Frozen documents, free and paid',
    HttpVersion: 'http2and3',
    IPV6Enabled: true,
    PriceClass: 'PriceClass_All',
    DefaultRootObject: 'index.html',
    WebACLId: {'Fn::GetAtt': ['WebAcl', 'Arn']},
    Aliases: orNothing([new URL(site.base_url).hostname]),
    ViewerCertificate: certificate,
    Origins: [origin],
    DefaultCacheBehavior: {...free, ViewerProtocolPolicy: 'redirect-to-https'},
    CacheBehaviors: behaviors,
    CustomErrorResponses: errors,
  };
  return {Type: 'AWS::CloudFront::Distribution', Properties: {DistributionConfig: config}};
}

const origin = {
  Id: 'bucket',
  DomainName: {'Fn::GetAtt': ['Bucket', 'RegionalDomainName']},
  OriginAccessControlId: {'Fn::GetAtt': ['OriginAccess', 'Id']},
  S3OriginConfig: {OriginAccessIdentity: ''},
};
