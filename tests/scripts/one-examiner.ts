import {after} from 'node:test';
import type {Check} from '../../buyer/verify/check.ts';
import {Examiner} from '../../buyer/verify/examiner.ts';
import {openFolder} from '../../buyer/verify/folder.ts';
import {Session} from '../../buyer/verify/session.ts';
import {pinFrom} from '../../buyer/verify/signature/pin.ts';
import {siteChecks} from '../../buyer/verify/verify-site.ts';
import {savedCatalogueIn} from '../../buyer/verify/since/since-checks.ts';
import {isAddress} from '../../buyer/verify/web.ts';
import {witnessesOf} from '../../buyer/verify/witness-checks.ts';

/**
 * Returns a function that verifies sites as `verifySite` does, with one examiner process for the whole test file,
 * because starting that process takes most of the time of a verification.
 */
export function oneExaminer(): (target: string, savedCatalogue?: string) => Promise<Check[]> {
  const examiner = new Examiner(new AbortController().signal);
  after(() => examiner[Symbol.asyncDispose]());
  return async (target, savedCatalogue) => {
    await using session = new Session({});
    const {until} = session;
    const since = savedCatalogue === undefined ? undefined : await savedCatalogueIn(savedCatalogue, examiner);
    const pinOf = await pinFrom({target, saved: since});
    using reader = await (isAddress(target) ? session.openSite(target) : openFolder(target, examiner, until));
    const witnesses = await witnessesOf({});
    return await siteChecks(reader, {examiner, until, since, pinOf, witnesses});
  };
}
