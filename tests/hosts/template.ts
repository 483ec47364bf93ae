/** The parts of a CloudFormation template that the tests read. Independent of the types of the build. */
export interface Template {
  Resources: {
    WebAcl: {Type: string; Properties: WebAcl};
    Distribution: {Type: string; Properties: {DistributionConfig: DistributionConfig}};
    Bucket: {Properties: {PublicAccessBlockConfiguration: Record<string, boolean>}};
    FreeHeaders: HeadersPolicy;
    PaidHeaders: HeadersPolicy;
    BucketPolicy: {Properties: {PolicyDocument: {Statement: {Effect: string; Action: string}[]}}};
    [logicalId: string]: unknown;
  };
}

export interface HeadersPolicy {
  Properties: {
    ResponseHeadersPolicyConfig: {
      Name: object;
      CustomHeadersConfig?: {Items: {Header: string; Value: string; Override: boolean}[]};
    };
  };
}

export interface WebAcl {
  Scope: string;
  DefaultAction: {Allow?: object; Block?: object};
  CustomResponseBodies?: Record<string, {ContentType: string; Content: string}>;
  MonetizationConfig?: {
    CurrencyMode: string;
    CryptoConfig: {
      PaymentNetworks: {Chain: string; WalletAddress: string; Prices: {Amount: string; Currency: string}[]}[];
    };
  };
  Rules: WafRule[];
}

export interface WafRule {
  Name: string;
  Priority: number;
  Action?: Action;
  Statement: Statement;
  VisibilityConfig: {MetricName: string};
}

export interface Action {
  Allow?: object;
  Block?: {CustomResponse?: CustomResponse};
  Monetize?: {PriceMultiplier?: string};
}

export interface CustomResponse {
  ResponseCode: number;
  CustomResponseBodyKey?: string;
  ResponseHeaders?: {Name: string; Value: string}[];
}

export interface Statement {
  ByteMatchStatement?: Match & {SearchString?: string; PositionalConstraint: string};
  RegexMatchStatement?: Match & {RegexString: string};
  NotStatement?: {Statement: Statement};
  AndStatement?: {Statements: Statement[]};
  OrStatement?: {Statements: Statement[]};
}

export interface Match {
  FieldToMatch: {UriPath?: object; Method?: object};
  TextTransformations: {Priority: number; Type: string}[];
}

export interface Behavior {
  PathPattern?: string;
  CachePolicyId: string;
  ResponseHeadersPolicyId: {Ref: string};
  OriginRequestPolicyId?: string;
  ViewerProtocolPolicy: string;
  AllowedMethods: string[];
}

export interface DistributionConfig {
  HttpVersion: string;
  DefaultRootObject: string;
  DefaultCacheBehavior: Behavior;
  CacheBehaviors: Behavior[];
  CustomErrorResponses: {ErrorCode: number; ResponseCode: number; ResponsePagePath: string}[];
}

/** Returns a statement and all statements within it. */
export function statementsIn(statement: Statement): Statement[] {
  const inner = [
    ...(statement.NotStatement ? [statement.NotStatement.Statement] : []),
    ...(statement.AndStatement?.Statements ?? []),
    ...(statement.OrStatement?.Statements ?? []),
  ];
  return [statement, ...inner.flatMap(statementsIn)];
}
