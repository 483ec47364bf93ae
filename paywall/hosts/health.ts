import {paths} from '../../shared/paths.ts';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {sha256} from '../site/documents.ts';
import type {Settler} from '../settler/settler.ts';
import type {OpenSite} from '../site/open-site.ts';

/** The build that is served, and whom to ask whether a gate can sell it. */
export interface Needs {
  /** The build that is served. */
  readonly site: () => OpenSite;
  /** Writes to the ledger; rejects where that fails. */
  readonly probeLedger: () => Promise<void>;
  readonly facilitatorUrl: () => string;
  /** In place of a facilitator. */
  readonly settler?: Pick<Settler, 'checkGas'> | undefined;
  readonly rpcUrl?: string | undefined;
}

/** Whether a gate can sell, and which build. */
export interface Health {
  /**
   * The ledger can be written, and the facilitator is in reach, or there is gas where the gate settles by itself. Beside a
   * facilitator it sells without a node, and debts may wait.
   */
  readonly ok: boolean;
  readonly site: {
    readonly base_url: string;
    /** Moment of its newest document. */
    readonly as_of: string | undefined;
    /** Of the bytes of its catalogue. */
    readonly sha256: string | undefined;
  };
  readonly ledger: Check;
  readonly facilitator?: Check;
  /** Where there is no facilitator. */
  readonly gas?: Check;
  /** Where the gate is given one. */
  readonly node?: Check;
}

interface Check {
  readonly ok: boolean;
  readonly host?: string;
  /** Why it is not, in one line. */
  readonly trouble?: string;
}

const TIMEOUT_MS = 4_000;
const MOST_BYTES = 64 * 1024;

/** Asks all that a gate needs at once. Never rejects. */
export async function healthOf({site, probeLedger, facilitatorUrl, settler, rpcUrl}: Needs): Promise<Health> {
  const url = facilitatorUrl();
  const [shown, ledger, seller, node] = await Promise.all([
    shownSite(site()),
    check(probeLedger),
    settler ? check(() => settler.checkGas()) : check(() => askFacilitator(url), url),
    rpcUrl ? check(() => askNode(rpcUrl), rpcUrl) : undefined,
  ]);
  const asked = settler ? {gas: seller} : {facilitator: seller};
  return {ok: ledger.ok && seller.ok, site: shown, ledger, ...asked, ...(node && {node})};
}

async function shownSite({catalogue: {base_url, products}, documents}: OpenSite): Promise<Health['site']> {
  const bytes = await documents.read(paths.catalogue);
  const moments = products.map(({as_of}) => as_of).sort();
  return {base_url, as_of: moments.at(-1), sha256: bytes && (await sha256(bytes))};
}

async function check(ask: () => Promise<void>, url?: string): Promise<Check> {
  const host = url !== undefined && {host: new URL(url).host};
  try {
    await ask();
    return {ok: true, ...host};
  } catch (error) {
    return {ok: false, ...host, trouble: errorMessage(error)};
  }
}

/** It is in reach where it answers, also that it does not know who asks: nothing of what it says is needed. */
async function askFacilitator(url: string): Promise<void> {
  const response = await bounded(`${url.replace(/\/+$/, '')}/supported`);
  await response.body?.cancel();
  if (response.status >= 500) throw new Error(`it answers ${response.status}`);
}

async function askNode(url: string): Promise<void> {
  const body = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: []});
  const response = await bounded(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
  const answer = (await response.json()) as {result?: unknown};
  if (typeof answer.result !== 'string') throw new Error(`it answers ${response.status} and names no chain`);
}

const bounded = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
