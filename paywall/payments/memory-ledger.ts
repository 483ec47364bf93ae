import type {SettleResponse} from '@x402/core/types';
import type {Claim} from './claim.ts';

/**
 * What the gate knows of an authorization it has handed to the facilitator:
 * - `settling`: under way;
 * - `late`: under way for so long that its buyer has been told to ask again;
 * - `unknown`: the money may have moved: by a transaction that the facilitator named, or by any where an answer got lost;
 * - `owed`: the money has moved, the document has not been handed out;
 * - `spent`: the document has been handed out.
 */
export type State =
  | {readonly kind: 'settling' | 'late'}
  | {readonly kind: 'unknown'; readonly sent?: readonly string[] | undefined}
  | {readonly kind: 'owed' | 'spent'; readonly receipt: SettleResponse};

/** An authorization buys one document: the one at this path, for whoever holds this very signature. */
export interface Entry {
  readonly path: string;
  readonly signature: string;
  readonly state: State;
  readonly writtenAt: number;
  readonly forgetAt: number;
}

/** No settlement takes as many seconds: what is said to be under way for longer was cut off, and its answer is lost. */
const LONGEST_SETTLEMENT = 120;

/** Seconds by which an entry outlives its authorization, so that a buyer whose answer got lost can still fetch it. */
const GRACE = 3600;
const SWEEP_EVERY = 1000;

/**
 * Authorizations in flight and done, until they expire: one authorization buys one document even where a facilitator
 * reports a repeated settlement as done. It lives in memory: after a restart, and between two processes or isolates,
 * what protects is the token's own record of used nonces.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #writes = 0;

  get size(): number {
    return this.#entries.size;
  }

  find(claim: Claim): Entry | undefined {
    const entry = this.#entries.get(claim.key);
    const isUnderWay = entry?.state.kind === 'settling' || entry?.state.kind === 'late';
    const isCutOff = isUnderWay && Date.now() / 1000 - entry.writtenAt > LONGEST_SETTLEMENT;
    return isCutOff ? {...entry, state: {kind: 'unknown'}} : entry;
  }

  write({key, payload: {signature, authorization}}: Claim, path: string, state: State): void {
    const now = Date.now() / 1000;
    const forgetAt = Number(authorization.validBefore) + GRACE;
    this.#entries.set(key, {path, signature, state, writtenAt: now, forgetAt});
    this.#writes += 1;
    if (this.#writes % SWEEP_EVERY === 0) this.#sweep(now);
  }

  forget(claim: Claim): void {
    this.#entries.delete(claim.key);
  }

  #sweep(now: number): void {
    for (const [key, {forgetAt}] of this.#entries) if (forgetAt < now) this.#entries.delete(key);
  }
}
