import {availableParallelism, cpus} from 'node:os';

/** What figures depend on. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  const processor = cpus()[0]?.model.trim() ?? '';
  return {cores: availableParallelism(), processor: processor || 'an unknown processor', node: process.version};
}

export function machineLine({cores, processor, node}: Machine): string {
  return `${cores} ${cores === 1 ? 'core' : 'cores'} of ${processor}, Node ${node}`;
}
