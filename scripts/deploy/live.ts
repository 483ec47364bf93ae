import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {paths, PUBLIC} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import type {State} from '../review/state.ts';
import {MAX_BYTES, MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {documentsOf, readCatalogue} from '../../buyer/verify/catalogue.ts';
import {NoAnswer, type Web} from '../../buyer/verify/web.ts';

/** The state of an address: a site, nothing, or an answer that is not a readable site. */
export type Live =
  LiveSite | {readonly kind: 'nothing'; readonly why: string} | {readonly kind: 'unreadable'; readonly why: string};

export interface LiveSite {
  readonly kind: 'site';
  readonly catalogue: Catalogue;
  readonly state: State;
}

/** Error codes for an address without a server: no site is live there. */
const NO_SERVER = ['ENOTFOUND', 'ECONNREFUSED'];

/** Reads the live catalogue. The answer is untrusted: redirects and addresses in it are not followed. */
export async function readLive(web: Web): Promise<Live> {
  // RFC 2606 reserves this domain. A lookup without a network would fail in the same way as for a live site.
  if (/(^|\.)example$/.test(new URL(web.origin).hostname))
    return {kind: 'nothing', why: 'a host under .example cannot exist'};
  const answer = await web.ask({target: paths.catalogue, maxBytes: MAX_SITE_BYTES});
  if (answer instanceof NoAnswer) {
    const {code = ''} = (answer.cause ?? {}) as NodeJS.ErrnoException;
    return {kind: NO_SERVER.includes(code) ? 'nothing' : 'unreadable', why: `it ${answer.message}`};
  }
  const why = `its catalogue answers ${answer.status}`;
  if (answer.status === 404 || answer.status === 410) return {kind: 'nothing', why};
  if (answer.status !== 200) return {kind: 'unreadable', why};
  try {
    const catalogue = readCatalogue(paths.catalogue, answer.bytes);
    return {kind: 'site', catalogue, state: stateOf(web, idsOf(catalogue))};
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [{field, rule} = {field: '', rule: ''}] = error.faults;
    return {kind: 'unreadable', why: `its catalogue is of another kind: ${[field, rule].filter(Boolean).join(' ')}`};
  }
}

/** Returns the digests in a catalogue, by file path relative to the root. */
export function idsOf({products}: Catalogue): Map<string, string> {
  return new Map(products.flatMap(documentsOf).map(({path, listed}) => [PUBLIC + path, listed.sha256]));
}

function stateOf(web: Web, ids: ReadonlyMap<string, string>): State {
  return {
    name: web.origin,
    place: `at ${web.origin} `,
    ids,
    async read(file) {
      const path = file.slice(PUBLIC.length);
      const answer = await web.ask({target: path, maxBytes: MAX_BYTES});
      const refuse = (rule: string) => new InputError({code: 'FZ602', file: web.origin + path, rule});
      if (answer instanceof NoAnswer) throw refuse(answer.message);
      if (answer.status !== 200) throw refuse(`answers ${answer.status}`);
      if (sha256(answer.bytes) !== ids.get(file)) throw refuse('is not the document that the live catalogue lists');
      return answer.bytes;
    },
  };
}
