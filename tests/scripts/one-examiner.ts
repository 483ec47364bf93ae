import {after} from 'node:test';
import type {Check} from '../../buyer/verify/check.ts';
import {Examiner} from '../../buyer/verify/examiner.ts';
import {Session} from '../../buyer/verify/session.ts';
import {verifySite} from '../../buyer/verify/verify-site.ts';

/**
 * Returns a function that verifies sites with one examiner process for the whole test file, because starting that
 * process takes most of the time of a verification.
 */
export function oneExaminer(): (target: string, savedCatalogue?: string) => Promise<Check[]> {
  const shared = new Examiner(new AbortController().signal);
  after(() => shared[Symbol.asyncDispose]());
  class SharedSession extends Session {
    override readonly examiner = shared;

    override [Symbol.asyncDispose](): Promise<void> {
      return Promise.resolve();
    }
  }
  return (target, savedCatalogue) => verifySite(target, {savedCatalogue}, () => new SharedSession({}));
}
