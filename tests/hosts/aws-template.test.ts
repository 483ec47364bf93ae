import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {RegoEngine, TemplateFile} from '@aws/cloudformation-validate';
import {composeAws, hosted, three} from './hosted.ts';
import {findingsIn} from './template-checks.ts';

const manyProducts = (count: number, tiers: number) =>
  hosted(
    Object.fromEntries(
      Array.from({length: count}, (_, at) => [`product${at}`, `$0.${String((at % tiers) + 1).padStart(2, '0')}`]),
    ),
  );

const sites = {
  'three products': three,
  'no product': hosted({}),
  'one product at $100': hosted({dear: '$100'}),
  'sixty-four products': manyProducts(64, 5),
  'three hundred products at seven prices': manyProducts(300, 7),
  'ninety-nine prices': manyProducts(99, 99),
  'a main network': hosted({a: '$0.25'}, [
    {network: 'eip155:8453', pay_to: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'},
  ]),
};

describe('the template', () => {
  let folder = '';
  const engine = new RegoEngine();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'template-'));
  });
  after(async () => {
    engine.free();
    await rm(folder, {recursive: true});
  });

  /** Findings above INFO of the validator that AWS ships. */
  async function validate(text: string): Promise<string[]> {
    const file = join(folder, 'template.json');
    await writeFile(file, text);
    const {diagnostics} = engine.validateStandard(new TemplateFile(file), {
      pseudoParameterOverrides: {region: 'us-east-1'},
    });
    return diagnostics.filter(({severity}) => severity !== 'INFO').map(({ruleId, message}) => `${ruleId}: ${message}`);
  }

  for (const [name, site] of Object.entries(sites)) {
    test(`is valid for ${name}`, async () => {
      const {text, template} = composeAws(site);
      assert.deepEqual(await validate(text), []);
      assert.deepEqual(findingsIn(template), []);
    });
  }

  test('is refused by the validator when a multiplier is not a number from 1 to 100', async () => {
    const bad = composeAws(three).text.replace('"PriceMultiplier": "15"', '"PriceMultiplier": "101"');
    assert.notDeepEqual(await validate(bad), []);
  });

  test('is refused by the validator when a reference leads nowhere', async () => {
    assert.notDeepEqual(await validate(composeAws(three).text.replace('"PaidHeaders": {', '"Other": {')), []);
  });

  test('keeps the bucket private and lets nobody list it', () => {
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

  test('shows a missing key as 404 and turns no error into success', () => {
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
