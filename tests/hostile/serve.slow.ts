import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {connect} from 'node:net';
import {networkInterfaces} from 'node:os';
import {createInterface} from 'node:readline';
import {test} from 'node:test';
import {PROJECT} from '../project.ts';

test('npm run serve listens only on the loopback interface', async t => {
  // In a separate process group, because npm does not forward signals to its child.
  const npm = spawn('npm', ['run', 'serve'], {
    cwd: PROJECT,
    env: {...process.env, NO_UPDATE_CHECK: '1'},
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(async () => {
    if (npm.pid !== undefined) process.kill(-npm.pid);
    await once(npm, 'close');
  });
  const port = await portIn(npm.stdout);
  assert.ok(await connects('127.0.0.1', port));
  for (const address of otherAddresses()) assert.ok(!(await connects(address, port)), `${address} connects`);
});

async function portIn(stdout: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({input: stdout})) {
    const [, port] = /Accepting connections at http:\/\/\S+?:(\d+)/.exec(line) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error('serve ended before it listened');
}

/**
 * Returns all addresses of this machine for other machines, and one that only responds if the server listens
 * everywhere.
 */
function otherAddresses(): string[] {
  const outer = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
  const reached = outer.filter(({internal, scopeid}) => !internal && !scopeid).map(({address}) => address);
  return process.platform === 'linux' ? [...reached, '127.0.0.2'] : reached;
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({host, port, timeout: 3_000});
    const end = (connected: boolean) => () => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
