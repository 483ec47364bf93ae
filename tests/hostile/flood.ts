import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {request} from 'node:http';
import {connect, type Socket} from 'node:net';

/** Connections that pipeline requests and read no responses. */
export interface Flood {
  /** The number of connections that the server closed. */
  readonly closed: () => number;
  stop(): void;
}

/** Opens connections and writes the same bytes to each, as fast as the server reads them. */
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

/** Returns the times of some requests in milliseconds, sorted. Each request has a new connection. */
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

/** Returns the peak memory of a process in bytes, or 0 if the system does not report it. */
export async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'latin1').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
