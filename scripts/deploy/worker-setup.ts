import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {RULES} from '../../shared/paths.ts';

/** The members of `paywall/rules/wrangler.jsonc` that create resources on Cloudflare. */
const configSchema = z.object({
  name: z.string(),
  assets: z.object({binding: z.string()}),
  triggers: z.object({crons: z.array(z.string())}),
  durable_objects: z.object({bindings: z.array(z.object({name: z.string(), class_name: z.string()}))}),
  migrations: z.array(z.object({tag: z.string(), new_sqlite_classes: z.array(z.string())})),
});

/** The settings of a Worker and their purpose. All are secrets, because a deployment removes variables that are not in its file. */
const SECRETS = {
  FROZEN_RPC_URL: 'a node of the chain: have one',
  FROZEN_FACILITATOR_URL: 'instead of the one in the rules',
  FROZEN_FACILITATOR_TOKEN: 'where the facilitator asks for one',
  CDP_API_KEY_ID: "for Coinbase's facilitator, with the next",
  CDP_API_KEY_SECRET: 'its other half',
  FROZEN_SETTLER_KEY: 'where the gate settles payments itself',
  FROZEN_SIGNING_KEY: 'where the site has a key: signs offers and receipts',
  FROZEN_SALES_TOKEN: 'to read the sales from outside',
  FROZEN_REFUNDS_TOKEN: 'to note refunds from outside',
} as const;

/** Describes the resources that a deployment creates, and the secrets to set by hand. Shows no values. */
export async function setupNotes(root: string, environment: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const config = configSchema.parse(JSON.parse(await readFile(join(root, RULES, 'wrangler.jsonc'), 'utf8')));
  const isSet = (name: string) => (environment[name] ? ', set in this environment, which the Worker does not see' : '');
  return [
    `Worker ${config.name}: made or replaced`,
    `binding ${config.assets.binding}: the files below`,
    ...config.durable_objects.bindings.map(
      ({name, class_name}) => `binding ${name}: the ledger, one Durable Object of the class ${class_name}`,
    ),
    ...config.migrations.map(
      ({tag, new_sqlite_classes}) => `migration ${tag}: makes ${new_sqlite_classes.join(', ')}, once; sales stay`,
    ),
    ...config.triggers.crons.map(cron => `cron trigger ${cron}: compares the ledger with the chain`),
    'secrets, which stay from one deployment to the next, where the site needs them:',
    ...Object.entries(SECRETS).map(
      ([name, use]) => `  wrangler secret put ${name} --name ${config.name}  (${use}${isSet(name)})`,
    ),
  ];
}
