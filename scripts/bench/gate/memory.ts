import {figure} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import type {Usage} from './answer-usage.ts';
import {load, type Question} from './load.ts';
import type {Serving} from './serving.ts';

/** Memory after so many requests. */
export interface Sample extends Usage {
  readonly requests: number;
}

const STEPS = 4;

/** Memory before and while a server answers `total` requests, in equal parts the questions. */
export async function memoryOver(server: Serving, questions: readonly Question[], total: number): Promise<Sample[]> {
  const samples = [{requests: 0, ...(await server.usage())}];
  const amount = total / STEPS / questions.length;
  for (let step = 1; step <= STEPS; step++) {
    for (const question of questions) await load(server, question, {amount});
    samples.push({requests: step * amount * questions.length, ...(await server.usage())});
  }
  return samples;
}

export function memoryTable(samples: readonly Sample[]): string {
  const [first] = samples;
  return table([
    ['the gate after requests', 'heap MiB', 'resident MiB', 'resident against none'],
    ...samples.map(({requests, heap, resident}) => [
      figure(requests),
      figure(heap / 2 ** 20, 1),
      figure(resident / 2 ** 20, 1),
      figure(resident / (first?.resident ?? Number.NaN), 2),
    ]),
  ]);
}
