import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {DEFAULT_LIMITS, type Limits} from '../../paywall/payments/limits.ts';

export interface Variable {
  readonly name: string;
  /** The commands that read it; empty if all commands do. */
  readonly commands: readonly string[];
  readonly holds: string;
  /** The option that overrides it. */
  readonly option?: string;
  /** True if a Worker has it as a secret. */
  readonly isWorkerSecret?: boolean;
  /** Where the docs say more, as an address relative to `docs/`. */
  readonly page?: string;
}

const GATE = ['start', 'verify', 'deploy'];
const SIGNING = ['sign', 'start', 'deploy'];

/** What the limits of a gate bound. */
const LIMITS: Readonly<Record<keyof Limits, string>> = {
  MAX_VERIFICATIONS: 'concurrent verifications of payments',
  MAX_VERIFICATIONS_PER_CLIENT: 'the same for each client',
  MAX_VERIFICATIONS_PER_PAYER: 'the same for each payer',
  MAX_CONTRACT_VERIFICATIONS: 'concurrent verifications of payments by contract wallets',
  MAX_CONTRACT_VERIFICATIONS_PER_CLIENT: 'the same for each client',
  MAX_WAITING: 'requests that wait for another request of the same payer',
  MAX_WAITING_PER_CLIENT: 'the same for each client',
  MAX_WAITING_PER_PAYER: 'the same for each payer',
  MAX_DOWNLOADS: 'concurrent repeated downloads',
  MAX_DOWNLOADS_PER_CLIENT: 'the same for each client',
  MAX_CONTRACT_GAS_PERCENT: "percentage of the settler's balance that contract wallets may use for gas in 24 hours",
};

/** All variables by subject. Commands that read a variable through an option are added to those listed here. */
const SUBJECTS: Readonly<Record<string, readonly Variable[]>> = {
  Gate: [
    {name: 'PORT', commands: [], holds: 'the port to listen on'},
    {name: 'HOST', commands: [], holds: 'the address to listen on'},
    {
      name: 'FROZEN_ADMIN_PORT',
      commands: [],
      holds: 'the port for /healthz and /metrics',
      page: 'operating.md#health-and-metrics',
    },
    {name: 'FROZEN_ADMIN_HOST', commands: [], holds: 'the address for /healthz and /metrics'},
    {name: 'FROZEN_RPC_URL', commands: GATE, holds: 'a node of the chain', isWorkerSecret: true},
    {
      name: 'FROZEN_FACILITATOR_URL',
      commands: GATE,
      holds: 'the facilitator, in place of the one in the rules',
      isWorkerSecret: true,
    },
    {
      name: 'FROZEN_FACILITATOR_TOKEN',
      commands: GATE,
      holds: 'a bearer token for FROZEN_FACILITATOR_URL',
      isWorkerSecret: true,
    },
    {
      name: 'CDP_API_KEY_ID',
      commands: GATE,
      holds: "the identifier of an API key for Coinbase's facilitator",
      isWorkerSecret: true,
      page: 'payments.md#a-facilitator-that-needs-a-key',
    },
    {name: 'CDP_API_KEY_SECRET', commands: GATE, holds: 'the secret of that API key', isWorkerSecret: true},
    {
      name: 'FROZEN_SETTLER_KEY_FILE',
      commands: GATE,
      holds: 'the file with the key with which the gate settles payments itself',
      page: 'payments.md#without-a-facilitator',
    },
    {name: 'FROZEN_SETTLER_KEY', commands: GATE, holds: 'the key itself, instead of a file', isWorkerSecret: true},
    {
      name: 'FROZEN_LEDGER_URL',
      commands: [],
      holds: 'the ledger: a SQLite file, or a postgres: address',
      page: 'hosts/node.md#the-ledger',
    },
    {
      name: 'FROZEN_CLIENT_ADDRESS_HEADER',
      commands: GATE,
      holds: "the header in which a proxy sends the client's address",
    },
    ...Object.entries(DEFAULT_LIMITS).map(([name, value]) => ({
      name: `FROZEN_${name}`,
      commands: GATE,
      holds: `limit: ${LIMITS[name as keyof Limits]} (default: ${value})`,
      isWorkerSecret: true,
      ...(name === 'MAX_VERIFICATIONS' && {page: 'hosts/node.md#limits'}),
    })),
  ],
  Signing: [
    {name: 'FROZEN_SIGNING_KEY_FILE', commands: [], holds: 'the file with the key of the site', page: 'signing.md'},
    {name: 'FROZEN_SIGNING_KEY', commands: SIGNING, holds: 'the key itself, as JSON', isWorkerSecret: true},
    {name: 'FROZEN_SIGNING_PASSPHRASE', commands: SIGNING, holds: 'the passphrase of that key'},
  ],
  Wallets: [
    {name: 'FROZEN_BUYER_KEY', commands: ['buy', 'mcp'], holds: 'the private key of the wallet that pays'},
    {name: 'FROZEN_BUYER_PASSPHRASE', commands: ['buy', 'mcp'], holds: 'the passphrase of its --keystore'},
    {name: 'FROZEN_PAYEE_KEY', commands: ['sign'], holds: 'the private key of the payee'},
    {name: 'FROZEN_PAYEE_PASSPHRASE', commands: ['sign'], holds: 'the passphrase of its --keystore'},
    {
      name: 'FROZEN_WITNESS_KEY',
      commands: ['witness'],
      holds: 'the private key of the wallet that sends the transaction',
    },
    {name: 'FROZEN_WITNESS_PASSPHRASE', commands: ['witness'], holds: 'the passphrase of its --keystore'},
  ],
  'Sales of a Worker': [
    {
      name: 'FROZEN_SALES_TOKEN',
      commands: ['sales'],
      holds: 'the token for reading the sales of a Worker',
      isWorkerSecret: true,
    },
    {
      name: 'FROZEN_REFUNDS_TOKEN',
      commands: ['refund'],
      holds: 'the token for reading the sales of a Worker and recording refunds',
      isWorkerSecret: true,
    },
  ],
  Network: [
    {
      name: 'HTTPS_PROXY',
      commands: [],
      holds:
        'the proxy for https: addresses, such as http://user:password@proxy.example:3128. It must support CONNECT; SOCKS is not supported. dev and demo use no proxy',
    },
    {
      name: 'HTTP_PROXY',
      commands: [],
      holds: 'the proxy for http: addresses, and for https: if HTTPS_PROXY is not set',
    },
    {name: 'NO_PROXY', commands: [], holds: 'the hosts that are reached without a proxy, separated by commas'},
    {
      name: 'NODE_EXTRA_CA_CERTS',
      commands: [],
      holds: 'a file with further certificate authorities (PEM), for a proxy or a server',
    },
  ],
  Other: [
    {
      name: 'CLOUDFLARE_API_TOKEN',
      commands: ['deploy'],
      holds: 'the API token with which wrangler deploys to Cloudflare',
    },
    {
      name: 'AWS_REGION',
      commands: ['deploy', 'sales'],
      holds: 'the region. AWS_PROFILE and the other variables of the AWS command line apply too',
    },
    {
      name: 'NO_COLOR',
      commands: [],
      holds: 'turns colours off if it is set. --color and --no-color override it',
    },
    {name: 'FORCE_COLOR', commands: [], holds: 'use colours even in a pipe; 0 turns colours off'},
    {name: 'TERM', commands: [], holds: 'the value dumb turns colours off'},
    {name: 'GIT_SSH_COMMAND', commands: ['deploy', 'review'], holds: 'the SSH command that git uses'},
    {
      name: 'FROZEN_DEBUG',
      commands: ['verify', 'buy', 'mcp'],
      holds: 'shows the errors of the process that checks documents',
    },
    {name: 'TMPDIR', commands: [], holds: 'the folder for temporary files of large queries'},
    {name: 'XDG_CACHE_HOME', commands: ['build', 'dev'], holds: 'the folder that contains the build cache, on Linux'},
  ],
};

/**
 * Returns the environment variables that these commands read, with their options, by subject. Throws if an option reads one that is not
 * listed here.
 */
export function variablesOf(commands: readonly CommandUnknownOpts[]): [subject: string, variables: Variable[]][] {
  const readers = new Map<string, {commands: Set<string>; option: string}>();
  for (const command of commands)
    for (const {envVar, long} of command.options)
      if (envVar !== undefined) {
        const reader = readers.get(envVar) ?? {commands: new Set(), option: long ?? ''};
        readers.set(envVar, reader);
        reader.commands.add(topLevelName(command));
      }
  const found = Object.entries(SUBJECTS).map(([subject, variables]): [string, Variable[]] => [
    subject,
    variables.map(variable => {
      const {commands = [], option} = readers.get(variable.name) ?? {};
      readers.delete(variable.name);
      return {...variable, commands: [...new Set([...variable.commands, ...commands])], ...(option && {option})};
    }),
  ]);
  if (readers.size > 0) throw new Error(`${[...readers.keys()].join()} not in the list of environment variables`);
  return found;
}

/** Composes `docs/environment.md`. */
export function environmentReference(commands: readonly CommandUnknownOpts[]): string {
  const sections = variablesOf(commands).map(([subject, variables]) => {
    const rows = variables.map(variable => `| ${cellsOf(variable).join(' | ')} |`);
    return `## ${subject}\n\n| variable | option | commands | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Environment variables

This page is generated from \`scripts/help/environment.ts\`: \`npm run cli-docs\` writes it. \`frozen help environment\` shows the same.

An empty variable counts as not set. An option overrides its variable. Commands do not print secrets. On Cloudflare, set the variables
marked with † as secrets of the Worker.
`;

function cellsOf({name, option, commands, holds, isWorkerSecret, page}: Variable): string[] {
  return [
    `\`${name}\`${isWorkerSecret ? ' †' : ''}`,
    option === undefined ? '' : `\`${option}\``,
    commandsOf(commands),
    holds.replaceAll(/https?:\/\/\S+\w|--[a-z-]+|\b(FROZEN|AWS)_[A-Z_]+\b/g, code => `\`${code}\``) +
      (page === undefined ? '' : ` ([more](${page}))`),
  ];
}

/** Names the commands that read a variable. */
export function commandsOf(commands: readonly string[]): string {
  return commands.length > 0 ? commands.join(', ') : 'all';
}

function topLevelName(command: CommandUnknownOpts): string {
  return command.parent?.parent ? topLevelName(command.parent) : command.name();
}
