import type {Context} from 'hono';
import type {Delay} from '../payments/till.ts';
import type {GateEnv} from './exact-path.ts';
import {problem, type Problem} from './problem.ts';

const delays: Record<Delay, Problem> = {
  unavailable: {
    status: 503,
    title: 'No payments',
    detail: 'Payments cannot be taken at the moment. This request charges nothing. Ask again later.',
  },
  in_flight: {
    status: 409,
    title: 'Payment under way',
    detail: 'A payment of yours for this document is being settled. Ask again: what was paid is not charged twice.',
  },
  unknown: {
    status: 503,
    title: 'Payment not settled yet',
    detail: 'The outcome of this payment is not known yet. Ask again: what was paid is not charged twice.',
  },
};

/** The answer where nothing is wrong with what was sent, and there is no document now. */
export function delayed(c: Context<GateEnv>, delay: Delay): Response {
  c.set('reason', delay);
  return problem(delays[delay]);
}

/** Whether a code names a delay. */
export function isDelay(code: string | undefined): code is Delay {
  return code !== undefined && Object.hasOwn(delays, code);
}
