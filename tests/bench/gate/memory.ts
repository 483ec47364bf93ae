import {figure} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {load, type Question} from './load.ts';
import type {Serving, Usage} from './serving.ts';

/** Memory after so many requests. */
export interface Sample extends Usage {
  readonly requests: number;
}

/** So many requests, and a look at the memory after each of so many steps. */
export interface Watch {
  readonly requests: number;
  readonly steps: number;
}

/** Memory before and while a server answers requests, which are the questions in equal parts. */
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
