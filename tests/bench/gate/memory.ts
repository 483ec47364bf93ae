import {figure} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {load, type Question} from './load.ts';
import type {Serving, Usage} from './serving.ts';

/** Memory after a number of requests. */
export interface Sample extends Usage {
  readonly requests: number;
}

/** The number of requests per step, and the number of steps. Memory is measured after each step. */
export interface Watch {
  readonly requests: number;
  readonly steps: number;
}

/** Measures memory before and while a server answers requests. All kinds of requests are equally frequent. */
export async function memoryOver(
  server: Serving,
  questions: readonly Question[],
  {requests, steps}: Watch,
): Promise<Sample[]> {
  const samples = [{requests: 0, ...(await server.usage())}];
  const amount = requests / steps / questions.length;
  for (let step = 1; step <= steps; step++) {
    for (const question of questions) await load(server, question, {amount});
    samples.push({requests: step * amount * questions.length, ...(await server.usage())});
  }
  return samples;
}

export function memoryTable(samples: readonly Sample[]): string {
  const [first] = samples;
  return table([
    ['the gate after requests', 'heap MiB', 'resident MiB', 'resident against before'],
    ...samples.map(({requests, heap, resident}) => [
      figure(requests),
      figure(heap / 2 ** 20, 1),
      figure(resident / 2 ** 20, 1),
      figure(resident / (first?.resident ?? Number.NaN), 2),
    ]),
  ]);
}
