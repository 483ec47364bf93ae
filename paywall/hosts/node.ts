import {createServer} from 'node:http';
import type {PrivateKeyAccount} from 'viem/accounts';
import {describeFault} from '../../shared/fault.ts';
import type {SigningKey} from '../../shared/signing-key.ts';
import type {Ledger} from '../ledger/ledger.ts';
import {noCredentials, type CredentialsFor} from '../payments/facilitator/credentials.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {HttpFacilitator} from '../payments/facilitator/http-facilitator.ts';
import {observed, type Observer} from '../payments/facilitator/observer.ts';
import type {Limits} from '../payments/limits.ts';
import {openServices} from '../payments/open-services.ts';
import type {AccessLine} from '../http/access-log.ts';
import {createGate} from '../http/gate.ts';
// Loaded with the gate: a later import would fail if the program is updated while it runs.
import '../http/purchase.ts';
import '../payments/chain/chain.ts';
import {CurrentGate} from './current-gate.ts';
import {gracefulClose} from './graceful-close.ts';
import {listen} from './listen.ts';
import {listenerFor} from './listener.ts';
import {reconcile} from '../payments/sales/reconcile.ts';
import {realMoneyFaults} from '../../shared/real-money.ts';
import type {OpenSite} from '../site/open-site.ts';
import {limitPipelining} from './pipelining.ts';
import {recoverOnNode} from './recover.ts';
import {repeat} from './repeat.ts';
import {answerRefused} from './refused-requests.ts';
import {Settler} from '../settler/settler.ts';
import {signerFor} from '../site/site-signer.ts';
import {SiteError} from '../site/site-error.ts';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  /** The caller closes it after the gate has stopped. */
  readonly ledger: Ledger;
  /** Instead of the one in the rules. */
  readonly facilitatorUrl?: string | undefined;
  readonly credentials?: CredentialsFor | undefined;
  /** A node of the chain. It shows the outcome of a settlement without an answer. */
  readonly rpcUrl?: string | undefined;
  /** Settles without a facilitator, with the node at `rpcUrl`. */
  readonly settler?: PrivateKeyAccount | undefined;
  /** The key of the site. It signs offers and receipts. */
  readonly signingKey?: SigningKey | undefined;
  /** How long a buyer waits for a settlement, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Limits of concurrent work. */
  readonly limits?: Partial<Limits> | undefined;
  /** The request header in which the proxy in front of the gate sends the client's address. Without one, the connection's address counts. */
  readonly clientAddressHeader?: string | undefined;
  /** How often the ledger is compared with the chain, and the minimum age of a compared settlement, in milliseconds. */
  readonly reconciling?: {readonly everyMs: number; readonly lagMs: number};
  /** Called for every request that is answered. */
  readonly log?: ((line: AccessLine) => void) | undefined;
  readonly observer?: Observer | undefined;
  readonly onError: (error: Error) => void;
  readonly onTrouble?: OnTrouble;
  /** Receives one line about each new build that is served, or why it is not. */
  readonly onBuild?: ((line: string) => void) | undefined;
}

/** A gate that listens. */
export interface Running {
  readonly url: string;
  /** The build that is served. */
  readonly site: () => OpenSite;
  /** The facilitator of the current build. A gate with a settler does not use it. */
  readonly facilitatorUrl: () => string;
  /** Settles payments without a facilitator. */
  readonly settler?: Settler | undefined;
  /** Serves a new build of the site at once. Without this call the gate does so within seconds. */
  takeOver(): Promise<void>;
  /** Accepts no new requests, completes those in progress, and resolves when the ledger has the outcome of every settlement. */
  stop(): Promise<void>;
}

/** Enough for a payment that echoes a large challenge, together with the headers of a browser. */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** How often the settler sends transactions again that are not mined, or replaces them, if that is due. */
const REBROADCAST_MS = 2_000;
const RECONCILING = {everyMs: 60_000, lagMs: 60_000};
/** A connection without progress is closed after this time. A buyer may have to wait for another purchase and then for the settlement. */
const STALLED_MS = 90_000;

/** Serves a site over HTTP, and each new build of it once it is complete. Rejects with `SiteError` if the port cannot be used. */
export async function serveSite(site: OpenSite, options: ServeOptions): Promise<Running> {
  const open = new Set<Promise<unknown>>();
  const {facilitatorUrl, rpcUrl, ledger, log, observer, onError, onTrouble, onBuild = () => undefined} = options;
  const {credentials = noCredentials} = options;
  const urlIn = ({rules}: OpenSite) => facilitatorUrl ?? rules.payment.facilitator_url;
  const facilitatorAt = (url: string) =>
    observed(new HttpFacilitator(url, {onTrouble, credentials: credentials(url)}), observer);
  let url = urlIn(site);
  const contractGasPercent = options.limits?.MAX_CONTRACT_GAS_PERCENT;
  const settler =
    options.settler && rpcUrl
      ? new Settler({account: options.settler, rpcUrl, ledger, contractGasPercent, onTrouble})
      : undefined;
  const keepAlive = (work: Promise<unknown>) => {
    open.add(work);
    void work.finally(() => open.delete(work));
  };
  let services = openServices({
    ...options,
    recover: recoverOnNode,
    facilitator: settler ? observed(settler, observer) : facilitatorAt(url),
    keepAlive,
  });
  const gateOf = async (build: OpenSite) => {
    const {rules, catalogue, documents} = build;
    const facilitator = {url: urlIn(build), isFromEnvironment: facilitatorUrl !== undefined};
    const [fault] = await realMoneyFaults(rules, {facilitator: settler ? undefined : facilitator, rpcUrl});
    if (fault) throw new SiteError(fault.code, `${describeFault(fault)}.`);
    // A build may name another facilitator; everything else is the same for all builds.
    if (!settler && urlIn(build) !== url) {
      services = {...services, facilitator: facilitatorAt(urlIn(build))};
      url = urlIn(build);
    }
    const sign = options.signingKey && (await signerFor(rules, options.signingKey));
    return createGate({rules, catalogue, documents, services, sign, log, onError, onTrouble});
  };
  const current = await CurrentGate.of(site, gateOf, onBuild);
  const answer = listenerFor(current, options);
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // The listener refuses a request of HTTP/1.1 without Host and logs it.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      // A purchase continues after its buyer has disconnected, and needs the ledger.
      keepAlive(answer(incoming, outgoing));
    },
  );
  server.timeout = STALLED_MS;
  answerRefused(server, log);
  const close = gracefulClose(server);
  limitPipelining(server);
  const listening = await listen(server, {...options, setting: '--port or PORT'});
  current.watch();
  const {everyMs, lagMs} = options.reconciling ?? RECONCILING;
  // Errors of the ledger and the node are reported elsewhere, and the next run may succeed.
  const stopReconciling = repeat(everyMs, async signal => {
    await reconcile(services, {lagMs, signal}).catch(() => undefined);
    await services.ledger.prune().catch(() => undefined);
    await services.ledger.pruneSales().catch(() => undefined);
  });
  const stopRebroadcasting = settler
    ? repeat(REBROADCAST_MS, () => settler.rebroadcast().catch(() => undefined))
    : undefined;
  return {
    url: listening,
    site: () => current.site,
    facilitatorUrl: () => url,
    settler,
    takeOver: () => current.takeOver(),
    async stop() {
      current.stop();
      // A comparison with a slow node can take minutes, in which the gate must not accept purchases.
      await Promise.all([close(), stopReconciling(), stopRebroadcasting?.()]);
      // After an answer is sent, the promise that records the delivery is added to `open`.
      while (open.size > 0) await Promise.all(open);
    },
  };
}
