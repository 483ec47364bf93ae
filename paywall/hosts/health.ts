import {paths} from '../../shared/paths.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {nodeAt} from '../../shared/evm/node.ts';
import {noCredentials} from '../payments/facilitator/credentials.ts';
import {FacilitatorClient} from '../payments/facilitator/facilitator-client.ts';
import {sha256} from '../site/documents.ts';
import type {Settler} from '../settler/settler.ts';
import type {OpenSite} from '../site/open-site.ts';

/** The services that the health of a gate depends on. */
export interface Needs {
  /** The build that is served. */
  readonly site: () => OpenSite;
  /** Writes to the ledger. Rejects if that fails. */
  readonly probeLedger: () => Promise<void>;
  readonly facilitatorUrl: () => string;
  /** Replaces the facilitator. */
  readonly settler?: Pick<Settler, 'checkGas'> | undefined;
  readonly rpcUrl?: string | undefined;
}

/** The health of a gate, and the build that it serves. */
export interface Health {
  /** True if the ledger can be written, and the facilitator answers, or the settler has gas. A gate with a facilitator can sell without a node. */
  readonly ok: boolean;
  readonly site: {
    readonly base_url: string;
    /** The latest `as_of` of its documents. */
    readonly as_of: string | undefined;
    /** The digest of its catalogue. */
    readonly sha256: string | undefined;
  };
  readonly ledger: Check;
  readonly facilitator?: Check;
  /** Present if the gate settles payments itself. */
  readonly gas?: Check;
  /** Present if the gate has a node of its own. */
  readonly node?: Check;
}

interface Check {
  readonly ok: boolean;
  readonly host?: string;
  /** The error, in one line. */
  readonly trouble?: string;
}

const TIMEOUT_MS = 4_000;

/** Checks everything that a gate depends on. Never rejects. */
export async function healthOf({site, probeLedger, facilitatorUrl, settler, rpcUrl}: Needs): Promise<Health> {
  const url = facilitatorUrl();
  const [shown, ledger, settlement, node] = await Promise.all([
    shownSite(site()),
    check(probeLedger),
    settler ? check(() => settler.checkGas()) : check(() => askFacilitator(url), url),
    rpcUrl ? check(() => nodeAt(rpcUrl, {timeoutMs: TIMEOUT_MS}).getChainId(), rpcUrl) : undefined,
  ]);
  const named = settler ? {gas: settlement} : {facilitator: settlement};
  return {ok: ledger.ok && settlement.ok, site: shown, ledger, ...named, ...(node && {node})};
}

async function shownSite({catalogue: {base_url, products}, documents}: OpenSite): Promise<Health['site']> {
  const bytes = await documents.read(paths.catalogue);
  const dates = products.map(({as_of}) => as_of).sort();
  return {base_url, as_of: dates.at(-1), sha256: bytes && (await sha256(bytes))};
}

async function check(ask: () => Promise<unknown>, url?: string): Promise<Check> {
  const host = url !== undefined && {host: new URL(url).host};
  try {
    await ask();
    return {ok: true, ...host};
  } catch (error) {
    return {ok: false, ...host, trouble: errorMessage(error)};
  }
}

/** Any answer below 500 counts, even one that refuses a request without a key. */
async function askFacilitator(url: string): Promise<void> {
  const {status} = await new FacilitatorClient(url, noCredentials(url)).supported(TIMEOUT_MS);
  if (status >= 500) throw new Error(`it answers ${status}`);
}
