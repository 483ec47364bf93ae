/** A private bucket: no public access, no access lists, every object encrypted, old versions kept. */
export const bucket = {
  Type: 'AWS::S3::Bucket',
  DeletionPolicy: 'Retain',
  UpdateReplacePolicy: 'Retain',
  Properties: {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: {Rules: [{ObjectOwnership: 'BucketOwnerEnforced'}]},
    BucketEncryption: {ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: 'AES256'}}]},
    VersioningConfiguration: {Status: 'Enabled'},
  },
};

const distributionArn = {
  'Fn::Sub': 'arn:${AWS::Partition}:cloudfront::${AWS::AccountId}:distribution/${Distribution}',
};

/**
 * Lets this one distribution read objects and nobody list them: S3 then answers 403 for a missing key, and the
 * distribution turns that into a 404.
 */
export const bucketPolicy = {
  Type: 'AWS::S3::BucketPolicy',
  Properties: {
    Bucket: {Ref: 'Bucket'},
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Sid: 'ReadThroughDistribution',
          Effect: 'Allow',
          Principal: {Service: 'cloudfront.amazonaws.com'},
          Action: 's3:GetObject',
          Resource: {'Fn::Sub': '${Bucket.Arn}/*'},
          Condition: {StringEquals: {'AWS:SourceArn': distributionArn}},
        },
        {
          Sid: 'RefusePlainHttp',
          Effect: 'Deny',
          Principal: '*',
          Action: 's3:*',
          Resource: [{'Fn::GetAtt': ['Bucket', 'Arn']}, {'Fn::Sub': '${Bucket.Arn}/*'}],
          Condition: {Bool: {'aws:SecureTransport': 'false'}},
        },
      ],
    },
  },
};

/** CloudFront signs every request to the bucket, whatever the client sent. */
export const originAccess = {
  Type: 'AWS::CloudFront::OriginAccessControl',
  Properties: {
    OriginAccessControlConfig: {
      Name: {'Fn::Sub': '${AWS::StackName}-bucket'},
      OriginAccessControlOriginType: 's3',
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    },
  },
};
