import type {Context} from 'hono';
import type {RetryReason} from '../payments/retry.ts';
import type {GateEnv} from './gate-env.ts';
import {problem, type Problem} from './problem.ts';

const answers: Record<RetryReason, Problem> = {
  unavailable: {
    status: 503,
    title: 'No payments',
    detail: 'Payments cannot be taken at the moment. This request charges nothing. Try again later.',
  },
  busy: {
    status: 503,
    title: 'Too many requests at a time',
    detail:
      'This client, this payer or all clients together have too many purchases or downloads under way. This request charges nothing. Try again later.',
  },
  in_flight: {
    status: 409,
    title: 'Payment under way',
    detail:
      'A payment of yours for this document is being settled. Send the request again: what was paid is not charged twice.',
  },
  used_sign_in: {
    status: 409,
    title: 'Sign-in used',
    detail:
      'This sign-in was used before. This request charges nothing. Request the document again, and sign in to the new challenge.',
  },
  unknown: {
    status: 503,
    title: 'Payment not settled yet',
    detail: 'The outcome of this payment is not known yet. Send the request again: what was paid is not charged twice.',
  },
};

/** Answers that there is no document now, and when to try again. */
export function retryLater(c: Context<GateEnv>, reason: RetryReason): Response {
  c.set('reason', reason);
  return problem(answers[reason]);
}
