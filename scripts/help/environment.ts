import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {DEFAULT_LIMITS} from '../../paywall/payments/limits.ts';

/** An environment variable and its purpose. */
export interface Variable {
  readonly name: string;
  /** The commands that read it; empty if all commands do. */
  readonly commands: readonly string[];
  readonly holds: string;
}

const GATE = ['start', 'verify', 'deploy'];
const SIGNING = ['sign', 'start', 'deploy'];

/** All variables. Commands that read a variable through an option are added to those listed here. */
const VARIABLES: readonly Variable[] = [
  {name: 'FROZEN_ADMIN_HOST', commands: [], holds: 'the address for /healthz and /metrics'},
  {name: 'FROZEN_ADMIN_PORT', commands: [], holds: 'the port for /healthz and /metrics'},
  {name: 'AWS_REGION', commands: ['deploy', 'sales'], holds: 'the region; the other variables of AWS are read too'},
  {name: 'FROZEN_BUYER_KEY', commands: ['buy', 'mcp'], holds: 'the private key of the wallet that pays'},
  {name: 'FROZEN_BUYER_PASSPHRASE', commands: ['buy', 'mcp'], holds: "the passphrase of the wallet's keystore"},
  {name: 'CDP_API_KEY_ID', commands: GATE, holds: 'the name of the key for the facilitator of Coinbase'},
  {name: 'CDP_API_KEY_SECRET', commands: GATE, holds: 'the secret of that key'},
  {
    name: 'FROZEN_CLIENT_ADDRESS_HEADER',
    commands: GATE,
    holds: "the header in which a proxy sends the client's address",
  },
  {name: 'CLOUDFLARE_API_TOKEN', commands: ['deploy'], holds: 'the token of wrangler, for Cloudflare'},
  {
    name: 'FROZEN_DEBUG',
    commands: ['verify', 'buy', 'mcp'],
    holds: 'shows the errors of the process that checks documents',
  },
  {name: 'FROZEN_FACILITATOR_TOKEN', commands: GATE, holds: 'a bearer token for FROZEN_FACILITATOR_URL'},
  {name: 'FROZEN_FACILITATOR_URL', commands: GATE, holds: 'the facilitator, in place of the one in the rules'},
  {name: 'FORCE_COLOR', commands: [], holds: 'colours, also in a pipe; 0 for none'},
  {name: 'GIT_SSH_COMMAND', commands: ['deploy', 'review'], holds: 'how git connects over SSH'},
  {name: 'HOST', commands: [], holds: 'the address to listen on'},
  {name: 'HTTPS_PROXY', commands: [], holds: 'the proxy for https: addresses'},
  {name: 'HTTP_PROXY', commands: [], holds: 'the proxy for http: addresses'},
  {name: 'FROZEN_LEDGER_URL', commands: [], holds: 'the ledger: a file of SQLite, or postgres:'},
  {name: 'NODE_EXTRA_CA_CERTS', commands: [], holds: 'a file with further certificate authorities (PEM)'},
  {name: 'NO_COLOR', commands: [], holds: 'no colours'},
  {name: 'NO_PROXY', commands: [], holds: 'the hosts that are reached without a proxy'},
  {name: 'FROZEN_PAYEE_KEY', commands: ['sign'], holds: 'the private key of the payee'},
  {name: 'FROZEN_PAYEE_PASSPHRASE', commands: ['sign'], holds: "the passphrase of the payee's keystore"},
  {name: 'PORT', commands: [], holds: 'the port to listen on'},
  {name: 'FROZEN_REFUNDS_TOKEN', commands: ['refund'], holds: 'the secret with which a Worker records refunds'},
  {name: 'FROZEN_RPC_URL', commands: GATE, holds: 'a node of the chain'},
  {name: 'FROZEN_SALES_TOKEN', commands: ['sales'], holds: 'the secret with which a Worker lists its sales'},
  {name: 'FROZEN_SETTLER_KEY', commands: GATE, holds: 'the private key of a gate that settles payments itself'},
  {name: 'FROZEN_SETTLER_KEY_FILE', commands: GATE, holds: 'the file with that key'},
  {name: 'FROZEN_SIGNING_KEY', commands: SIGNING, holds: "the site's signing key"},
  {name: 'FROZEN_SIGNING_KEY_FILE', commands: [], holds: 'the file with that key'},
  {name: 'FROZEN_SIGNING_PASSPHRASE', commands: SIGNING, holds: 'the passphrase of that key'},
  {name: 'TERM', commands: [], holds: 'no colours, if it is dumb'},
  {
    name: 'FROZEN_WITNESS_KEY',
    commands: ['witness'],
    holds: 'the private key of the wallet that sends the transaction',
  },
  {name: 'FROZEN_WITNESS_PASSPHRASE', commands: ['witness'], holds: "the passphrase of that wallet's keystore"},
  ...Object.entries(DEFAULT_LIMITS).map(([name, value]) => ({
    ...{name: `FROZEN_${name}`, commands: GATE},
    holds: `a limit of the gate (default: ${value})`,
  })),
];

/** Returns the environment variables that these commands read, sorted by name. Throws if an option reads one that is not listed here. */
export function variablesOf(commands: readonly CommandUnknownOpts[]): Variable[] {
  const readers = new Map(VARIABLES.map(({name, commands}) => [name, new Set(commands)]));
  for (const command of commands)
    for (const {envVar} of command.options)
      if (envVar !== undefined) {
        const known = readers.get(envVar);
        if (!known) throw new Error(`${envVar} is not in the list of environment variables`);
        known.add(topLevelName(command));
      }
  return VARIABLES.map(variable => ({...variable, commands: [...(readers.get(variable.name) ?? [])]})).sort(
    (one, other) => (one.name < other.name ? -1 : 1),
  );
}

function topLevelName(command: CommandUnknownOpts): string {
  return command.parent?.parent ? topLevelName(command.parent) : command.name();
}
