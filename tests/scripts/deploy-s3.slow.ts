import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {S3} from '@aws-sdk/client-s3';
import {openSite} from '../../paywall/site/open-site.ts';
import {openAws} from '../../scripts/deploy/aws.ts';
import {toS3, type Bucket, listBucket} from '../../scripts/deploy/s3.ts';
import {faultLines} from '../../shared/error-text.ts';
import type {InputError} from '../../shared/fault.ts';
import {CLASS_SHARE, SITE} from '../build/site-fixture.ts';
import {plainErrors} from '../plain-errors.ts';
import {gitSite, type GitSite} from './git-site.ts';
import {rawServer} from './raw-server.ts';
import {runScript, withVariables} from './script-run.ts';
import {account, accessBlock, BUCKET, s3Server, type Cloud, type S3Server} from './s3-server.ts';

/** Returns the web ACL of a site's template, with replaced texts. */
function webAclOf(site: GitSite, ...others: readonly (readonly [text: string, other: string])[]): object {
  const text = readFileSync(join(site.root, 'paywall/rules/aws.template.json'), 'utf8');
  const changed = others.reduce((all, [one, other]) => {
    assert.ok(all.includes(one), one);
    return all.replaceAll(one, other);
  }, text);
  const template = JSON.parse(changed) as {Resources: {WebAcl: {Properties: object}}};
  return template.Resources.WebAcl.Properties;
}

const catalogue = `/${BUCKET}/api/v1/index.json`;

const deploy = (site: GitSite, server: S3Server, ...args: string[]) =>
  runScript('deploy', ['s3', '--root', site.root, '--bucket', BUCKET, '--endpoint-url', server.url, ...args], account);

interface Reported {
  readonly deployed: boolean;
  readonly uploads: readonly {change: string; path: string}[];
  readonly deletes: readonly string[];
  readonly invalidations: readonly string[];
  readonly unchanged: readonly string[];
}

/** Deploys and returns the JSON output. */
async function deployed(site: GitSite, server: S3Server, ...args: string[]): Promise<Reported> {
  const {code, out, err} = await deploy(site, server, ...args, '--json');
  assert.equal(code, 0, err);
  return JSON.parse(out) as Reported;
}

test('a site goes to S3, changes, and shrinks', async t => {
  await using site = await gitSite();
  const cloud: {readOnly?: string} & Cloud = {publicAccessBlock: accessBlock(true), live: () => webAclOf(site)};
  await using server = await s3Server(cloud);
  const all = site.files().length;

  await t.test('a dry run reports everything and does nothing', async () => {
    const {code, out, err} = await deploy(site, server);
    assert.equal(code, 0, err);
    assert.match(
      out,
      /^\+ {2}\/api\/v1\/softfail3 +\d+ bytes {2}application\/json; charset=utf-8 +private, no-store$/m,
    );
    assert.match(
      out,
      /^\+ {2}\/api\/v1\/index\.json +\d+ bytes {2}application\/json; charset=utf-8 +public, max-age=300$/m,
    );
    assert.match(
      out,
      new RegExp(
        `^dry run: s3://snapshots: ${all} to upload \\(\\d+ bytes\\), 0 to delete, 0 unchanged\\. Nothing was deployed: add --yes to deploy\\.$`,
        'm',
      ),
    );
    assert.deepEqual(server.writes, []);
  });

  await t.test('--yes uploads everything with its headers, and the catalogue last', async () => {
    const {code, out, err} = await deploy(site, server, '--yes');
    assert.equal(code, 0, err);
    assert.match(out, new RegExp(`^deployed: s3://snapshots: ${all} uploaded`, 'm'));
    assert.equal(server.writes.length, all);
    assert.equal(server.writes.at(-1), `PUT ${catalogue}`);
    const head = await server.s3.headObject({Bucket: BUCKET, Key: 'api/v1/softfail3'});
    assert.equal(head.ContentType, 'application/json; charset=utf-8');
    assert.equal(head.CacheControl, 'private, no-store');
    const headers = await server.s3.headObject({Bucket: BUCKET, Key: '_headers'});
    assert.equal(headers.ContentType, 'text/plain; charset=utf-8');
  });

  await t.test('a second run uploads nothing', async () => {
    const {code, out} = await deploy(site, server, '--yes');
    assert.equal(code, 0);
    assert.match(
      out,
      new RegExp(`^up to date: s3://snapshots: 0 to upload \\(0 bytes\\), 0 to delete, ${all} unchanged$`, 'm'),
    );
    assert.equal(server.writes.length, all);
  });

  await t.test('a type that was changed manually is corrected', async () => {
    const there = {Bucket: BUCKET, Key: 'api/v1/softfail3'};
    const Body = await readFile(join(site.root, 'public/api/v1/softfail3'));
    await server.s3.putObject({...there, Body, ContentType: 'text/plain'});
    const {uploads} = await deployed(site, server, '--yes');
    assert.deepEqual(
      uploads.map(({path}) => path),
      ['/api/v1/softfail3'],
    );
    assert.equal((await server.s3.headObject(there)).ContentType, 'application/json; charset=utf-8');
  });

  await t.test('a changed price uploads the documents with it, and invalidates the free ones', async () => {
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, price: '$0.03'});
    await site.commit();
    server.writes.length = 0;
    const changed = [
      '/api/v1/samples/softfail3.json',
      ...['/index.html', '/llms.txt', '/openapi.json', '/products/softfail3.html'],
      '/api/v1/index.json',
    ];
    const {uploads, invalidations, unchanged} = await deployed(site, server, '--yes', '--distribution', 'E2TEST');
    assert.deepEqual(
      uploads.map(({change, path}) => `${change} ${path}`),
      changed.map(path => `changed ${path}`),
    );
    // CloudFront caches the home page under both of its addresses.
    assert.deepEqual(invalidations, [...changed, '/']);
    assert.equal(unchanged.length, all - changed.length);
    assert.match(server.writes.at(-1) ?? '', /^POST \/2020-05-31\/distribution\/E2TEST\/invalidation$/);
  });

  await t.test('former files are deleted, also if that failed before, and other files are kept', async () => {
    await site.write('data/products/soft-fail-3.json', {...CLASS_SHARE, title: 'Soft Fail 4'});
    await site.commit();
    cloud.readOnly = '/products/softfail3.html';
    assert.match(
      (await deploy(site, server, '--yes')).err,
      /^s3 DeleteObject products\/softfail3\.html failed: Access Denied/,
    );
    delete cloud.readOnly;
    // The server in front refuses only after the deletion.
    for (const key of ['api/v1/forgotten', 'favicon.ico', 'products/softfail3.html']) {
      await server.s3.putObject({Bucket: BUCKET, Key: key, Body: 'elsewhere'});
    }
    server.writes.length = 0;
    const {deletes} = await deployed(site, server, '--yes');
    assert.deepEqual(
      deletes.filter(path => !path.includes('softfail3')),
      ['/api/v1/forgotten'],
    );
    assert.equal(deletes.length, 7);
    const page = `DELETE /${BUCKET}/products/softfail3.html`;
    assert.deepEqual(server.writes.slice(0, 2), [page, `PUT ${catalogue}`]);
    assert.ok(server.writes.slice(2).every(write => write.startsWith(`DELETE /${BUCKET}/api/v1/`)));
    assert.equal(server.writes.length, 8);
    await server.s3.headObject({Bucket: BUCKET, Key: 'favicon.ico'});
  });

  await t.test('a site with another address is replaced only if it is named', async () => {
    await site.write('data/site.json', {...SITE, base_url: 'https://other.example'});
    await site.commit();
    server.writes.length = 0;
    const refused = await deploy(site, server, '--yes');
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^s3:\/\/snapshots contains the site https:\/\/test\.example, but the site to deploy is https:\/\/other\.example$/m,
    );
    assert.deepEqual(server.writes, []);
    const {code, err} = await deploy(site, server, '--yes', '--replace-site', 'https://test.example');
    assert.equal(code, 0, err);
  });
});

test('a bucket with more objects than one response lists is read completely', async () => {
  const page = (key: string, more: string) =>
    `<ListBucketResult><Contents><Key>${key}</Key><ETag>"e"</ETag><Size>1</Size></Contents>${more}</ListBucketResult>`;
  const asked: (string | null)[] = [];
  await using server = await rawServer(({url = ''}, response) => {
    const token = new URL(url, 'http://s3.test').searchParams.get('continuation-token');
    asked.push(token);
    const more =
      token === null ? '<IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>' : '';
    response.writeHead(200, {'content-type': 'application/xml'}).end(page(`${asked.length}.json`, more));
  });
  const credentials = {accessKeyId: account.AWS_ACCESS_KEY_ID, secretAccessKey: account.AWS_SECRET_ACCESS_KEY};
  const s3 = new S3({endpoint: server.url, region: account.AWS_DEFAULT_REGION, credentials, forcePathStyle: true});
  const stored = await listBucket({s3}, BUCKET);
  s3.destroy();
  assert.deepEqual(
    [[...stored.keys()], asked],
    [
      ['1.json', '2.json'],
      [null, '2'],
    ],
  );
});

test('a refused file is reported in one line, and the catalogue that lists it is not uploaded', async () => {
  await using site = await gitSite();
  await using server = await s3Server({publicAccessBlock: accessBlock(true), readOnly: '/samples/'});
  const {code, out, err} = await deploy(site, server, '--yes');
  assert.equal(code, 1, out);
  assert.equal(err, 's3 PutObject api/v1/samples/softfail3.json failed: Access Denied (AccessDenied)\n');
  assert.ok(server.writes.every(write => write.startsWith('PUT ') && write !== `PUT ${catalogue}`));
});

test('a deployment to S3 is refused in one line for each error in the setup', async () => {
  await using site = await gitSite();
  const cloud: {-readonly [Member in keyof Cloud]: Cloud[Member]} = {};
  await using server = await s3Server(cloud);
  const isPrivate = {publicAccessBlock: accessBlock(true)};
  const open = {publicAccessBlock: accessBlock(false)};
  const foreign = {...isPrivate, live: () => ({Rules: [{Name: 'rate-limit'}]})};
  const gatedBy = (...others: Parameters<typeof webAclOf>[1][]) => ({
    ...isPrivate,
    live: () => webAclOf(site, ...others),
  });
  const earlier = gatedBy(['pay-softfail3', 'pay-other']);
  const elsewhere = gatedBy(['"/api/v1/softfail3"', '"/api/v1/other"']);
  const cheaper = gatedBy(['"Amount": "0.02"', '"Amount": "0.01"']);
  const withRule = (Action: object | undefined, Statement = {}) => ({
    ...isPrivate,
    live: () => {
      const acl = webAclOf(site) as {Rules: object[]};
      return {...acl, Rules: [{Name: 'office', Priority: 0, Action, Statement}, ...acl.Rules]};
    },
  });
  const RuleActionOverrides = [{Name: 'size', ActionToUse: {Allow: {}}}];
  const changedGroup = withRule(undefined, {
    ManagedRuleGroupStatement: {VendorName: 'AWS', Name: 'common', RuleActionOverrides},
  });
  const none = '<Error><Code>NoSuchPublicAccessBlockConfiguration</Code><Message>none</Message></Error>';
  const unset = {publicAccessBlock: {status: 404, body: none}};
  const wordless = {publicAccessBlock: {status: 501, body: ''}};
  const to = {bucket: BUCKET, isConfirmedPrivate: false};
  const distributed = {...to, distribution: 'E2TEST'};
  const aws = await withVariables(account, () => openAws(server.url));
  const opened = await openSite(site.root);
  /** Deploys a site that has passed the checks, which take most of the time of the command. */
  const deployTo = async (answers: Cloud, bucket: Bucket) => {
    Object.assign(
      cloud,
      {publicAccessBlock: undefined, webAcl: undefined, live: undefined, origin: undefined},
      answers,
    );
    return toS3(aws, site.root, opened, bucket);
  };
  const refused: readonly (readonly [Cloud, Bucket, RegExp])[] = [
    [{}, to, /snapshots does not report whether it is private \(NotImplemented\)/],
    [wordless, to, /snapshots does not report whether it is private \(NotImplemented\)/],
    [open, to, /snapshots may be public \(BlockPublicAcls, .* are off\)/],
    [unset, to, /snapshots may be public \(nothing blocks public access\)/],
    [{...isPrivate, webAcl: ''}, distributed, /E2TEST does not have a web ACL/],
    [{...isPrivate, webAcl: '473e64fd-f30b-4765'}, distributed, /E2TEST does not have a web ACL of AWS WAF/],
    [foreign, distributed, /E2TEST has a web ACL without the rules odd-spelling, .*, unpriced, free-get-and-head$/m],
    [earlier, distributed, /E2TEST has a web ACL without the rule pay-softfail3$/m],
    [elsewhere, distributed, /E2TEST has a web ACL without the rule pay-softfail3$/m],
    [cheaper, distributed, /E2TEST has a web ACL with another base price, wallet or network$/m],
    [withRule({Allow: {}}), distributed, /E2TEST has a web ACL that also allows requests by the rule office$/m],
    [changedGroup, distributed, /also allows requests by the rule office$/m],
    [withRule({Monetize: {PriceMultiplier: '1'}}), distributed, /also allows requests by the rule office$/m],
    [withRule({Block: {}}), {...distributed, bucket: 'nobody'}, /NoSuchBucket/],
    [{}, {bucket: 'nobody', isConfirmedPrivate: true}, /NoSuchBucket/],
  ];
  for (const [answers, bucket, says] of refused)
    await assert.rejects(deployTo(answers, bucket), (error: InputError) => {
      const err = plainErrors(faultLines(error));
      assert.match(err, says);
      return /^[^\n]+\n$/.test(err);
    });
  const unseen =
    /^the rule office of the web ACL of E2TEST may allow requests: the rules in a rule group are not checked$/;
  for (const [isNoted, statement] of [
    [true, {RuleGroupReferenceStatement: {ARN: 'arn:aws:wafv2:office'}}],
    [true, {ManagedRuleGroupStatement: {VendorName: 'Fortinet', Name: 'all_rules'}}],
    [false, {ManagedRuleGroupStatement: {VendorName: 'AWS', Name: 'common'}}],
  ] as const) {
    const {plan} = await deployTo(withRule(undefined, statement), distributed);
    assert.equal(
      plan.notes.some(note => unseen.test(note)),
      isNoted,
    );
  }

  const serves = /^whether E2TEST serves snapshots is not known: none of its origins has this name$/;
  for (const origin of [undefined, 'staging.s3.us-east-1.amazonaws.com']) {
    const {plan} = await deployTo({...gatedBy(), ...(origin && {origin})}, distributed);
    assert.equal(
      plan.notes.some(note => serves.test(note)),
      origin !== undefined,
    );
  }

  Object.assign(cloud, {publicAccessBlock: undefined, webAcl: undefined, live: undefined, origin: undefined});
  const here = ['--endpoint-url', server.url, '--bucket', BUCKET];
  const cases: readonly (readonly [string[], NodeJS.ProcessEnv, RegExp])[] = [
    [here, {AWS_REGION: ''}, /snapshots does not report whether it is private \(NotImplemented\)/],
    [[...here, '--private-bucket'], {AWS_ACCESS_KEY_ID: 'WRONG'}, /InvalidAccessKeyId/],
    [
      [...here, '--private-bucket'],
      {AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: ''},
      /^The credentials of AWS cannot be found/,
    ],
    [['--endpoint-url', 'http://127.0.0.1:1', '--bucket', BUCKET], {}, /ECONNREFUSED/],
    [['--bucket', BUCKET], {AWS_REGION: '', AWS_DEFAULT_REGION: ''}, /^The region cannot be found \([^)]+\)$/m],
    [
      ['--bucket', BUCKET],
      {AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined},
      /^The region cannot be found \([^)]+\)$/m,
    ],
  ];
  for (const [args, env, says] of cases) {
    const {code, out, err} = await runScript('deploy', ['s3', '--root', site.root, '--yes', '--dirty', ...args], {
      ...account,
      ...env,
    });
    assert.equal(code, /^The [^\n]* cannot be found/.test(err) ? 2 : 1, `${args.join(' ')}\n${out}`);
    assert.match(err, says);
    assert.match(err, /^[^\n]+\n$/, 'one line');
  }
  assert.deepEqual(server.writes, []);
});
