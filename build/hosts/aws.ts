import type {Rule} from '../../shared/shapes.ts';
import {refuse} from '../../shared/fault.ts';
import {bucket, bucketPolicy, originAccess} from './aws/bucket.ts';
import {distribution} from './aws/distribution.ts';
import {notesOn} from './aws/notes.ts';
import {freeHeaders, paidHeaders} from './aws/response-headers.ts';
import {TEMPLATE} from './aws/template-path.ts';
import {webAcl} from './aws/web-acl.ts';
import type {Host, Hosted} from './host.ts';

/** A rule's name is at most 128 characters, `pay-` included. */
const PAID_PATH = /^\/api\/v1\/[a-z0-9]{1,124}$/;

const parameters = {
  CertificateArn: {
    Type: 'String',
    Default: '',
    AllowedPattern: '^(arn:aws[a-z-]*:acm:us-east-1:[0-9]{12}:certificate/[0-9a-f-]+)?$',
    Description: "ARN of the certificate for the site's own name, in us-east-1; empty: only the name CloudFront gives",
  },
};

const outputs = {
  BucketName: {Description: 'Where the files of public/ go', Value: {Ref: 'Bucket'}},
  DistributionId: {Description: 'What to invalidate after an upload', Value: {Ref: 'Distribution'}},
  DomainName: {
    Description: "Where it sells; point the site's own name here",
    Value: {'Fn::GetAtt': ['Distribution', 'DomainName']},
  },
};

/** S3, CloudFront and AWS WAF: a private bucket whose paid documents only a payment opens. */
const aws: Host = {
  name: 'aws',

  compose(hosted) {
    refuse(hosted.rules.filter(rule => !PAID_PATH.test(rule.path)).map(unmatchable));
    const acl = webAcl(hosted);
    const text = `${JSON.stringify(template(hosted, acl.resource), null, 2)}\n`;
    return {files: new Map([[TEMPLATE, text]]), notes: notesOn(acl, Buffer.byteLength(text), hosted.site)};
  },
};

export default aws;

function template({site}: Hosted, acl: object): object {
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'Frozen documents behind a paywall: S3, CloudFront, AWS WAF. Generated; deploy in us-east-1.',
    Parameters: parameters,
    Conditions: {HasCertificate: {'Fn::Not': [{'Fn::Equals': [{Ref: 'CertificateArn'}, '']}]}},
    Resources: {
      Bucket: bucket,
      BucketPolicy: bucketPolicy,
      OriginAccess: originAccess,
      FreeHeaders: freeHeaders,
      PaidHeaders: paidHeaders,
      WebAcl: acl,
      Distribution: distribution(site),
    },
    Outputs: outputs,
  };
}

function unmatchable({path}: Rule) {
  const rule = 'is not /api/v1/ and a name of 1 to 124 lower-case letters and digits, as the rules of AWS WAF need it';
  return {file: TEMPLATE, field: 'path', value: path, rule};
}
