import {load} from './load.ts';
import type {Usage} from './server.ts';
import type {Serving} from './serving.ts';

/** Memory after so many requests. */
export interface Sample extends Usage {
  readonly requests: number;
}

const STEPS = 4;

/** Memory before and while a server answers `total` requests, half of them free documents and half of them challenges. */
export async function memoryOver(server: Serving, free: string, paid: string, total: number): Promise<Sample[]> {
  const samples = [{requests: 0, ...(await server.usage())}];
  const amount = total / STEPS / 2;
  for (let step = 1; step <= STEPS; step++) {
    await load(server.url + free, 200, {amount});
    await load(server.url + paid, 402, {amount});
    samples.push({requests: step * amount * 2, ...(await server.usage())});
  }
  return samples;
}
