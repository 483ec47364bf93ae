import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import {connect, type AddressInfo} from 'node:net';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {NoAnswer, Web} from '../../buyer/verify/web.ts';
import {ProxyError, useProxy} from '../../shared/proxy.ts';
import {EXAMPLE} from '../example/example.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';
import {startHttps, type HttpsHost} from './https-host.ts';
import {runProcess} from './script-run.ts';

const NONE = {HTTPS_PROXY: '', https_proxy: '', HTTP_PROXY: '', http_proxy: '', NO_PROXY: '', no_proxy: ''};
const DEAD = 'http://someone:s3cret@127.0.0.1:1';
const ADVICE = /issuer of the TLS certificate is unknown. If you trust it, set NODE_EXTRA_CA_CERTS/;

/** A proxy that only supports CONNECT, and records its requests. */
async function startProxy(status = 200) {
  const asked: (readonly [target: string, authorization: string | undefined])[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({url = '', headers}, socket, head) => {
    asked.push([url, headers['proxy-authorization']]);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const {hostname, port} = new URL(`http://${url}`);
    const to = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      to.write(head);
      to.pipe(socket).pipe(to);
    });
    const end = () => {
      to.destroy();
      socket.destroy();
    };
    for (const one of [to, socket]) one.on('error', end).on('close', end);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Starts the gate, and stops it when it listens. */
async function startGate(env: NodeJS.ProcessEnv): Promise<string> {
  const args = [FROZEN, 'start', '--root', EXAMPLE, '--no-log'];
  const child = spawn(process.execPath, args, {
    cwd: PROJECT,
    env: {...process.env, PORT: '0', HOST: '127.0.0.1', ...env},
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  let err = '';
  for await (const chunk of child.stderr) if ((err += String(chunk)).includes('Listening on')) child.kill('SIGKILL');
  return err;
}

const answer: RequestListener = ({url}, response) => {
  if (url === '/deny.csv') response.end('url,class\nhttps://a.example/,dead\n');
  else response.writeHead(404).end();
};

describe('a command that sends requests to a server', () => {
  let fixture: FreezeFixture;
  let host: HttpsHost;
  before(async () => {
    fixture = await freezeFixture();
    host = await startHttps(answer, fixture.lists);
  });
  after(async () => {
    await host[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  let freezes = 0;
  const script = async (name: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const {out, err} = await runProcess(name, args, env);
    return out + err;
  };
  const commands: Record<string, (env: NodeJS.ProcessEnv) => Promise<string>> = {
    freeze: env => script('freeze', [`list-${++freezes}`, `${host.origin}/deny.csv`, '--root', fixture.site.root], env),
    verify: env => script('verify', ['site', host.origin], env),
    buy: env => script('buy', [host.origin, 'any', '--dry-run', '--folder', join(fixture.lists, 'bought')], env),
    'start, its facilitator': env => startGate({FROZEN_FACILITATOR_URL: host.origin, ...env}),
    'start, its node': env => startGate({FROZEN_FACILITATOR_URL: host.origin, FROZEN_RPC_URL: host.origin, ...env}),
  };

  const trusted = () => ({...NONE, NODE_EXTRA_CA_CERTS: host.certificate});
  for (const [name, run] of Object.entries(commands)) {
    const target = () => new URL(host.origin).host;

    // Every command reads the variables with the same function, so one command tests their spellings.
    const isFirst = name === 'freeze';
    for (const [variable, scheme] of [
      ['HTTPS_PROXY', 'http://'],
      ...(isFirst ? ([['https_proxy', '']] as const) : []),
    ] as const)
      test(`${name}: goes through the proxy of ${variable}, ${scheme ? 'with' : 'without'} http://`, async () => {
        await using proxy = await startProxy();
        const said = await run({...trusted(), [variable]: `${scheme}someone:s3cret@${proxy.host}`});
        assert.ok(proxy.asked.length > 0, said);
        for (const [asked, authorization] of proxy.asked) {
          assert.equal(asked, target());
          assert.equal(authorization, `Basic ${btoa('someone:s3cret')}`);
        }
        assert.doesNotMatch(said, /s3cret|cannot be used|no whole answer|fetch failed/);
      });

    test(`${name}: names a proxy that is down, without its password`, async () => {
      const said = await run({...trusted(), HTTPS_PROXY: DEAD});
      assert.match(said, /the proxy http:\/\/127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)/);
      assert.doesNotMatch(said, /s3cret|someone| at .*\.js/);
    });

    // Freeze uses fetch, as start does, and verify the client that buy uses.
    const isLikeNoOther = isFirst || name === 'verify';
    if (isLikeNoOther)
      test(`${name}: names a proxy that requires another password, without the given one`, async () => {
        await using proxy = await startProxy(407);
        const said = await run({...trusted(), HTTPS_PROXY: `http://someone:s3cret@${proxy.host}`});
        assert.ok(said.includes(`the proxy http://${proxy.host} refuses the connection with status 407`), said);
        assert.doesNotMatch(said, /s3cret|someone/);
      });

    for (const way of ['directly', ...(isLikeNoOther ? ['through a proxy'] : [])])
      test(`${name}: names NODE_EXTRA_CA_CERTS for a certificate of an unknown issuer, asked ${way}`, async () => {
        await using proxy = await startProxy();
        const HTTPS_PROXY = way === 'directly' ? '' : `http://${proxy.host}`;
        const said = await run({...NONE, NODE_EXTRA_CA_CERTS: '', HTTPS_PROXY});
        assert.match(said, ADVICE);
      });
  }

  test('freeze: does not use the proxy for a host in NO_PROXY', async () => {
    await using proxy = await startProxy();
    const said = await commands['freeze']?.({
      ...trusted(),
      HTTPS_PROXY: `http://${proxy.host}`,
      NO_PROXY: 'a.example,127.0.0.1',
    });
    assert.deepEqual(proxy.asked, [], said);
    assert.doesNotMatch(said ?? assert.fail(), /no whole answer|fetch failed|no answer/);
  });

  for (const value of ['socks5://someone:s3cret@127.0.0.1:1', 'http://someone:s3cret@:x'])
    test(`an invalid address of an HTTP proxy is refused and not shown: ${value}`, async () => {
      const {code, out, err} = await runProcess('verify', ['site', host.origin], {...NONE, HTTPS_PROXY: value});
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.match(err, /^HTTPS_PROXY.*is not the address of an HTTP proxy, such as http:\S+\n$/);
      assert.doesNotMatch(err, /s3cret/);
    });
});

test('through the proxy, verify sends unchanged targets, and the gate verifies a payment', async () => {
  await using proxy = await startProxy();
  const targets: (string | undefined)[] = [];
  const server = createServer(({url}, response) => {
    targets.push(url);
    if (url === '/end') response.destroy();
    else response.writeHead(402, {'x-one': ['a', 'b']}).end('pay');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const {port} = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  try {
    await useProxy({HTTP_PROXY: `http://${proxy.host}`});
    using web = new Web(origin, 10, AbortSignal.timeout(30_000));
    const raw = ['/api//v1/%61', '/api/v1/../v1/./a', '/api\\v1', '/a?b#c', '//api;x'];
    for (const target of raw) {
      const {status, headers} = await web.ask({target});
      assert.equal(status, 402, target);
      assert.equal(headers['x-one'], 'a, b');
    }
    assert.deepEqual(targets, raw);
    const ended = await web.ask({target: '/end'});
    assert.ok(ended instanceof NoAnswer);
    assert.ok(ended.isClosed);
    const connections = proxy.asked.length;
    assert.ok(connections > 0);
    await useProxy({HTTP_PROXY: `http://${proxy.host}`}); // With separate connections.
    const answer = await fetch(`${origin}/verify`, {method: 'POST', body: '{}', redirect: 'manual'});
    assert.equal(await answer.text(), 'pay');
    assert.equal(proxy.asked.length, connections + 1);
    assert.ok(proxy.asked.every(([asked]) => asked === `127.0.0.1:${port}`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an IPv6 address in NO_PROXY may be without brackets', async () => {
  for (const [noProxy, isDirect] of [
    ['localhost,127.0.0.1,::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['[::1]', true],
    ['::2', false],
  ] as const) {
    await useProxy({HTTP_PROXY: DEAD, NO_PROXY: noProxy});
    // Nothing listens at this port.
    const refusal = ({cause}: Error) => cause instanceof ProxyError !== isDirect;
    await assert.rejects(fetch('http://[::1]:2/'), refusal, noProxy);
  }
});
