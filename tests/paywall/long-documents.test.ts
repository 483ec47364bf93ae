import assert from 'node:assert/strict';
import {once} from 'node:events';
import {connect} from 'node:net';
import {after, before, beforeEach, describe, test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {generatePrivateKey, privateKeyToAccount} from 'viem/accounts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {decoded, paymentFor} from './hand-made.ts';
import {lengthen, path} from './shop.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

/** Longer than the buffers of the system, so that sending it takes time. */
const LENGTH = 20_000_000;

describe('a long document', () => {
  let text: string;
  let site: FixtureSite;
  let facilitator: StandIn;
  let gate: Listening;

  before(async () => {
    site = await fixtureSite();
    facilitator = await startStandIn();
    text = await lengthen(site.root, LENGTH);
  });
  beforeEach(async () => {
    gate = await startGate(site.root, facilitator.url);
  });
  after(async () => {
    await facilitator.stop();
    await site.remove();
  });

  test('can be collected by its buyer after the connection breaks during the download', async () => {
    const buyer = privateKeyToAccount(generatePrivateKey());
    const socket = request(await signed(buyer));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await once(socket, 'close');
    const again = await send(await signed(buyer));
    assert.equal((await again.text()).length, text.length);
    assert.equal(facilitator.submitted.length, 1);
    await gate.stop();
  });

  test('arrives completely if the gate is stopped during the download', async () => {
    const idle = connect({host: '127.0.0.1', port: Number(new URL(gate.url).port)});
    const socket = request(await signed());
    let received = 0;
    await once(socket, 'data');
    socket.pause();
    const closed = once(socket, 'close');
    const stopped = gate.stop();
    await sleep(300);
    socket.on('data', chunk => (received += chunk.length)).resume();
    await stopped;
    await closed;
    assert.ok(received > text.length - 100_000, `${received} bytes`);
    idle.destroy();
  });

  async function signed(buyer = privateKeyToAccount(generatePrivateKey())): Promise<string> {
    return paymentFor(decoded(await fetch(gate.url + path), 'PAYMENT-REQUIRED'), buyer);
  }

  function send(payment: string): Promise<Response> {
    return fetch(gate.url + path, {headers: {'PAYMENT-SIGNATURE': payment}});
  }

  function request(payment: string) {
    const {hostname, port} = new URL(gate.url);
    const socket = connect({host: hostname, port: Number(port)});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nPAYMENT-SIGNATURE: ${payment}\r\n\r\n`);
    return socket;
  }
});
