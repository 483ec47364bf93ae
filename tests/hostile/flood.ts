import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {request} from 'node:http';
import {connect, type Socket} from 'node:net';

/** Connections that send requests one behind the other and read no answer. */
export interface Flood {
  /** How many of them the server has closed. */
  readonly closed: () => number;
  stop(): void;
}

/** Opens connections and writes the same bytes to each, as fast as they are taken. */
export async function flood(url: string, sockets: number, bytes: string): Promise<Flood> {
  const {hostname, port} = new URL(url);
  const open: Socket[] = [];
  let closed = 0;
  for (let index = 0; index < sockets; index++) {
    const socket = connect({host: hostname, port: Number(port)}).pause();
    socket.on('error', () => undefined);
    socket.once('close', () => (closed += 1));
    open.push(socket);
  }
  await Promise.all(open.map(socket => once(socket, 'connect')));
  for (const socket of open) socket.write(bytes);
  return {
    closed: () => closed,
    stop() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** The milliseconds that each of some requests took, each on a connection of its own, sorted. */
export async function latencies(url: string, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await new Promise((resolve, reject) => {
      const sent = request(url, {agent: false}, response => response.resume().once('end', resolve));
      sent.once('error', reject).end();
    });
    took.push(performance.now() - start);
  }
  return took.sort((one, other) => one - other);
}

/** The largest part of a process that was ever in memory, in bytes; 0 where the system does not tell. */
export async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'latin1').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
