import {waitUntil} from 'cloudflare:workers';
import type {Hono} from 'hono';
import rulesJson from '#rules';
import {catalogueSchema, rulesSchema} from '../../shared/shapes.ts';
import {paths} from '../../shared/paths.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';
import type {Documents} from '../site/documents.ts';
import type {GateEnv} from '../http/exact-path.ts';
import {Facilitator} from '../payments/facilitator.ts';
import {createGate} from '../http/gate.ts';
import {Ledger} from '../payments/memory-ledger.ts';
import {lookUpAt} from '../payments/lookup.ts';
import {problem} from '../http/problem.ts';

/** The bindings of `rules/wrangler.jsonc`, and two variables a publisher may set. */
interface Env {
  readonly ASSETS: {fetch(request: Request): Promise<Response>};
  readonly FACILITATOR_URL?: string;
  readonly RPC_URL?: string;
}

const rules = rulesSchema.parse(rulesJson);
/** Of this isolate: two isolates are kept apart by the token, which takes a nonce once. */
const ledger = new Ledger();
let gate: Hono<GateEnv> | undefined;

/** The gate as a Worker in front of static assets: the paid paths always come here, the free ones never need to. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    // The gate itself is kept, not the promise of it: one request may not wait for what another has begun.
    gate ??= await openGate(env).catch(unopened);
    return gate?.fetch(request, {}) ?? unready();
  },
};

async function openGate(env: Env): Promise<Hono<GateEnv> | undefined> {
  const documents = assets(env);
  const bytes = await documents.read(paths.catalogue);
  if (!bytes) return undefined;
  const catalogue = catalogueSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const till = {
    facilitator: new Facilitator(env.FACILITATOR_URL || rules.payment.facilitator_url, tell),
    ledger,
    lookUp: env.RPC_URL ? lookUpAt(env.RPC_URL) : undefined,
    keepAlive: waitUntil,
  };
  return createGate({rules, catalogue, documents, till, onError: tell, onTrouble: tell});
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
  tell(error);
}

function tell(trouble: unknown): void {
  const words = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble);
  console.error(withShownAddresses(words));
}

function unready(): Response {
  return problem({status: 503, title: 'Not ready', detail: 'The catalogue of this site cannot be read at the moment.'});
}
