import {waitUntil} from 'cloudflare:workers';
import type {Hono} from 'hono';
import parts from '#offer-page' with {type: 'json'};
import rulesJson from '#rules';
import {catalogueSchema, rulesSchema} from '../../shared/shapes.ts';
import {paths} from '../../shared/paths.ts';
import {describeFault, InputError} from '../../shared/fault.ts';
import {faultsOnMain, type NamedFacilitator} from '../../shared/real-money.ts';
import {readSigningKey} from '../../shared/signing-key.ts';
import {printableLines} from '../../shared/printable.ts';
import {facilitatorUrl, httpUrl, urlIn} from '../../shared/service-url.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';
import type {Documents} from '../site/documents.ts';
import type {GateEnv} from '../http/gate-env.ts';
import {openCredentials, type Keys} from '../payments/facilitator/credentials.ts';
import {HttpFacilitator} from '../payments/facilitator/http-facilitator.ts';
import {readLimits, type Limits, type LimitVariables} from '../payments/limits.ts';
import {openServices} from '../payments/open-services.ts';
import {errorStack} from '../../shared/error-message.ts';
import type {PaymentServices} from '../payments/services.ts';
import {createGate} from '../http/gate.ts';
import {openDurableObject, type LedgerBinding} from '../ledger/object-ledger.ts';
import type {Ledger} from '../ledger/ledger.ts';
import {problem} from '../http/problem.ts';
import {answerPublisher} from '../http/publisher.ts';
import type {Settler} from '../settler/settler.ts';
import {signerFor} from '../site/site-signer.ts';
import {SiteError} from '../site/site-error.ts';
import {answerInWorker} from './answer-in-worker.ts';

export {LedgerObject} from '../ledger/durable-object.ts';

/** The bindings of `rules/wrangler.jsonc`, and the variables and secrets that a publisher may set. */
interface Env extends Keys, LimitVariables {
  readonly ASSETS: {fetch(request: Request): Promise<Response>};
  readonly LEDGER: LedgerBinding;
  readonly FROZEN_FACILITATOR_URL?: string;
  readonly FROZEN_RPC_URL?: string;
  /** Secret for listing sales. */
  readonly FROZEN_SALES_TOKEN?: string;
  /** Secret for listing sales and recording refunds. */
  readonly FROZEN_REFUNDS_TOKEN?: string;
  /** A private key that settles without a facilitator. */
  readonly FROZEN_SETTLER_KEY?: string;
  /** The private key of the site, a JWK, which signs offers and receipts. */
  readonly FROZEN_SIGNING_KEY?: string;
}

const rules = rulesSchema.parse(rulesJson);
/** The gate and its payment services, opened by the first request of this isolate and used by all. */
let opened:
  {readonly gate: Hono<GateEnv>; readonly services: PaymentServices; readonly settler: Settler | undefined} | undefined;

/** The gate as a Worker in front of static assets. Paid paths are always routed to it, free ones need not be. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // The promise is not shared: in a Worker one request cannot await the I/O of another.
    opened ??= await open(env).catch(unopened);
    if (!opened) return notReady();
    const forPublisher = await answerPublisher(request, env, opened.services.ledger);
    if (forPublisher) return forPublisher;
    return answerInWorker(opened.gate, request, waitUntil);
  },

  /** Sends the settler's transactions again, and compares the ledger with the chain, at the interval in `rules/wrangler.jsonc`. */
  async scheduled(_: unknown, env: Env): Promise<void> {
    opened ??= await open(env).catch(unopened);
    if (!opened) return;
    await opened.settler?.rebroadcast().catch(report);
    const {reconcile} = await import('../payments/sales/reconcile.ts');
    await reconcile(opened.services).catch(report);
    await opened.services.ledger.prune().catch(report);
    await opened.services.ledger.pruneSales().catch(report);
  },
};

async function open(env: Env): Promise<NonNullable<typeof opened>> {
  const rpcUrl = urlIn('FROZEN_RPC_URL', env.FROZEN_RPC_URL, httpUrl);
  const namedUrl = urlIn('FROZEN_FACILITATOR_URL', env.FROZEN_FACILITATOR_URL, facilitatorUrl);
  const documents = assets(env);
  const bytes = await documents.read(paths.catalogue);
  if (!bytes) throw new SiteError('FZ404', `${paths.catalogue} cannot be read from the assets of the Worker.`);
  const catalogue = catalogueSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const ledger = openDurableObject(env.LEDGER);
  const limits = readLimits(env);
  const settler = await settlerOf(env, rpcUrl, ledger, limits);
  const url = namedUrl ?? rules.payment.facilitator_url;
  refuseTrialSettings(rpcUrl, settler ? undefined : {url, isFromEnvironment: namedUrl !== undefined});
  const credentials = await openCredentials(env, namedUrl);
  const services = openServices({
    ledger,
    facilitator: settler ?? new HttpFacilitator(url, {onTrouble: report, credentials: credentials(url)}),
    rpcUrl,
    recover: async (hash, signature) => (await import('./recover-in-worker.ts')).recoverInWorker(hash, signature),
    keepAlive: waitUntil,
    limits,
    onTrouble: report,
  });
  const key = env.FROZEN_SIGNING_KEY
    ? await readSigningKey('FROZEN_SIGNING_KEY', env.FROZEN_SIGNING_KEY, isEncrypted)
    : undefined;
  const sign = key && (await signerFor(rules, key));
  const gate = createGate({rules, catalogue, documents, services, sign, onError: report, onTrouble: report});
  return {gate, services, settler};
}

/** Throws `SiteError` for settings of a trial if the site accepts real money: `frozen deploy` does not see the secrets. */
function refuseTrialSettings(rpcUrl: string | undefined, facilitator: NamedFacilitator | undefined): void {
  const main = rules.payment.accepts.map(({network}) => network).filter(each => !parts.testNetworks.includes(each));
  const names = main.map(network => parts.networks[network]?.name ?? network);
  const [fault] = faultsOnMain(names, rules, {facilitator, rpcUrl});
  if (fault) throw new SiteError(fault.code, `${describeFault(fault)}.`);
}

async function settlerOf(
  {FROZEN_SETTLER_KEY, FROZEN_FACILITATOR_URL}: Env,
  rpcUrl: string | undefined,
  ledger: Ledger,
  limits: Limits,
): Promise<Settler | undefined> {
  if (!FROZEN_SETTLER_KEY) return undefined;
  if (!rpcUrl || FROZEN_FACILITATOR_URL)
    throw new SiteError('FZ501', 'FROZEN_SETTLER_KEY goes with FROZEN_RPC_URL, and without FROZEN_FACILITATOR_URL.');
  const [{Settler}, {accountOf}] = await Promise.all([import('../settler/settler.ts'), import('../settler/key.ts')]);
  return new Settler({
    account: accountOf(FROZEN_SETTLER_KEY, 'FROZEN_SETTLER_KEY'),
    rpcUrl,
    ledger,
    contractGasPercent: limits.MAX_CONTRACT_GAS_PERCENT,
    onTrouble: report,
  });
}

function isEncrypted(): never {
  throw new InputError({
    code: 'FZ501',
    field: 'FROZEN_SIGNING_KEY',
    rule: 'is encrypted: set the secret of the Worker to the key itself',
  });
}

function assets({ASSETS}: Env): Documents {
  return {
    async read(file) {
      try {
        const response = await ASSETS.fetch(new Request(`https://assets.invalid${file}`));
        return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function unopened(error: unknown): undefined {
  report(error);
}

function report(trouble: unknown): void {
  const isExpected = trouble instanceof SiteError || trouble instanceof InputError;
  const words = isExpected ? trouble.message : trouble instanceof Error ? errorStack(trouble) : String(trouble);
  console.error(printableLines(withShownAddresses(words)));
}

function notReady(): Response {
  return problem({
    status: 503,
    title: 'Not ready',
    detail: 'The catalogue or the settings of this site cannot be used at the moment.',
  });
}
