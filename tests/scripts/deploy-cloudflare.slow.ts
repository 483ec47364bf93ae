import assert from 'node:assert/strict';
import {test} from 'node:test';
import {gitSite} from './git-site.ts';
import {rawServer} from './raw-server.ts';
import {runScript} from './script-run.ts';

test("the dry run of wrangler bundles the gate with the site's rules, accepts redirects, and rewrites to free files, and uploads nothing", async () => {
  await using site = await gitSite();
  await site.write(
    'public/_redirects',
    '/old /new 301\n# /free /api/v1/softfail3 200\n/buy /api/v1/softfail3 302\n/api/v1/softfail3x /new\n/start /index.html 200\n/s/x /api/v1/samples/softfail3.json 200\n',
  );
  await site.commit();
  const environment = {FROZEN_RPC_URL: 'https://node.example/hush'};
  const {code, out, err} = await runScript('deploy', ['cloudflare', '--root', site.root], environment);
  assert.equal(code, 0, err);
  assert.ok(!out.includes('hush'));
  assert.match(out, /^~ {2}\/api\/v1\/softfail3 +\d+ bytes {2}application\/json; charset=utf-8 +private, no-store$/m);
  assert.match(out, /^wrangler: Total Upload: [\d.]+ KiB/m);
  // Wrangler reads _redirects, and uploads the others.
  assert.match(
    out,
    new RegExp(`^dry run: the Worker test-site on Cloudflare: ${site.files().length - 1} to upload`, 'm'),
  );
  assert.equal(site.git('status', '--porcelain'), '', 'and nothing is written into the site');
});

test('without a token, or if Cloudflare refuses, it ends in one line, and variables do not rename the Worker', async () => {
  await using site = await gitSite();
  const asked: string[] = [];
  await using cloudflare = await rawServer(({url = ''}, response) => {
    asked.push(url);
    response.writeHead(400, {'content-type': 'application/json'}).end('{"success": false, "errors": []}');
  });
  const home = {HOME: site.root, XDG_CONFIG_HOME: `${site.root}/.git/config-home`, CLOUDFLARE_API_TOKEN: ''};
  const nowhere = {
    CLOUDFLARE_API_TOKEN: 'none',
    CLOUDFLARE_ACCOUNT_ID: 'none',
    CLOUDFLARE_API_BASE_URL: cloudflare.url,
    CLOUDFLARE_ENV: 'staging',
    WRANGLER_CI_OVERRIDE_NAME: 'staging',
  };
  const says = [/^The token of Cloudflare is missing\n$/, /^wrangler deploy failed: [^\n]+\n$/];
  for (const [at, env] of [home, {...home, ...nowhere}].entries()) {
    const {code, err} = await runScript('deploy', ['cloudflare', '--root', site.root, '--yes'], env);
    assert.equal(code, [2, 1][at]);
    assert.match(err, says[at] ?? /never/);
  }
  assert.deepEqual(asked, ['/accounts/none/workers/services/test-site']);
});
