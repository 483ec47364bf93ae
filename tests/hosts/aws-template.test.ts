import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {composeAws, three} from './hosted.ts';
import {findingsIn} from './template-checks.ts';
import {templateSites} from './template-sites.ts';

describe('the template', () => {
  for (const [name, site] of Object.entries(templateSites)) {
    test(`is valid for ${name}`, () => {
      assert.deepEqual(findingsIn(composeAws(site).template), []);
    });
  }

  test('keeps the bucket private and does not allow listing it', () => {
    const {Bucket, BucketPolicy} = composeAws(three).template.Resources;
    const access = Bucket.Properties.PublicAccessBlockConfiguration;
    assert.deepEqual(Object.values(access), [true, true, true, true]);
    const allowed = BucketPolicy.Properties.PolicyDocument.Statement.filter(({Effect}) => Effect === 'Allow');
    assert.deepEqual(
      allowed.map(({Action}) => Action),
      ['s3:GetObject'],
    );
  });

  test('sends paid documents with the headers of free ones, and keeps them out of caches', () => {
    const {FreeHeaders, PaidHeaders} = composeAws(three).template.Resources;
    const configOf = (policy: typeof FreeHeaders) => policy.Properties.ResponseHeadersPolicyConfig;
    const {Name, CustomHeadersConfig, ...paid} = configOf(PaidHeaders);
    assert.deepEqual({...paid, Name: configOf(FreeHeaders).Name}, configOf(FreeHeaders));
    assert.notDeepEqual(Name, configOf(FreeHeaders).Name);
    assert.deepEqual(CustomHeadersConfig, {
      Items: [{Header: 'Cache-Control', Value: 'private, no-store', Override: true}],
    });
  });

  test('speaks HTTP/2 and 3, over TLS only', () => {
    const config = composeAws(three).template.Resources.Distribution.Properties.DistributionConfig;
    assert.equal(config.HttpVersion, 'http2and3');
    assert.equal(config.DefaultCacheBehavior.ViewerProtocolPolicy, 'redirect-to-https');
    assert.deepEqual(new Set(config.CacheBehaviors.map(one => one.ViewerProtocolPolicy)), new Set(['https-only']));
  });

  test('answers 404 for a missing key, and answers no error with a status of success', () => {
    const {CustomErrorResponses} = composeAws(three).template.Resources.Distribution.Properties.DistributionConfig;
    assert.deepEqual(
      CustomErrorResponses.map(({ErrorCode, ResponseCode}) => [ErrorCode, ResponseCode]),
      [
        [403, 404],
        [404, 404],
      ],
    );
  });

  test('is the same text for the same site', () => {
    assert.equal(composeAws(three).text, composeAws(three).text);
  });
});
