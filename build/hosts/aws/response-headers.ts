import {cacheControl} from '../../../shared/paths.ts';

const YEAR_IN_SECONDS = 31_536_000;

/**
 * What holds whatever page is uploaded. Pages say themselves which style and script are theirs, by digest: those change
 * with an upload, and a stack is not updated with each.
 */
const CONTENT_SECURITY_POLICY = [
  "img-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const security = {
  StrictTransportSecurity: {AccessControlMaxAgeSec: YEAR_IN_SECONDS, IncludeSubdomains: false, Override: true},
  ContentTypeOptions: {Override: true},
  FrameOptions: {FrameOption: 'DENY', Override: true},
  ReferrerPolicy: {ReferrerPolicy: 'strict-origin-when-cross-origin', Override: true},
  ContentSecurityPolicy: {ContentSecurityPolicy: CONTENT_SECURITY_POLICY, Override: true},
};

/** Anybody's page may read what it may fetch; cookies play no part. */
const cors = {
  AccessControlAllowCredentials: false,
  AccessControlAllowHeaders: {Items: ['*']},
  AccessControlAllowMethods: {Items: ['GET', 'HEAD']},
  AccessControlAllowOrigins: {Items: ['*']},
  AccessControlExposeHeaders: {Items: ['ETag', 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE']},
  OriginOverride: true,
};

/** Headers of everything that comes from the bucket. The 402 of AWS WAF carries none of them. */
export const freeHeaders = policy('free', {});

/** As above, and no cache on the way or at the buyer's side keeps the document. */
export const paidHeaders = policy('paid', {
  CustomHeadersConfig: {Items: [{Header: 'Cache-Control', Value: cacheControl.paid, Override: true}]},
});

function policy(name: string, more: object): object {
  const config = {
    Name: {'Fn::Sub': `\${AWS::StackName}-${name}`},
    SecurityHeadersConfig: security,
    CorsConfig: cors,
    ...more,
  };
  return {
    Type: 'AWS::CloudFront::ResponseHeadersPolicy',
    Properties: {ResponseHeadersPolicyConfig: config},
  };
}
