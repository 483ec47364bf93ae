import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {DEFAULT_LIMITS, type Limits} from '../../paywall/payments/limits.ts';

/**
 * The name, with † if a Worker has it as a secret; the commands that read it without an option; the meaning, by default that of the option;
 * a page of the docs.
 */
type Row = readonly [name: string, commands: string, meaning?: string | undefined, page?: string | undefined];

const GATE = 'start, verify, deploy';
const SIGNING = 'sign, start, deploy';

/** The things that the limits of a gate count. */
const LIMITS: Readonly<Record<keyof Limits, string>> = {
  MAX_VERIFICATIONS: 'concurrent verifications of payments',
  MAX_VERIFICATIONS_PER_CLIENT: 'the same for each client',
  MAX_VERIFICATIONS_PER_PAYER: 'the same for each payer',
  MAX_CONTRACT_VERIFICATIONS: 'concurrent verifications of payments by contract wallets',
  MAX_CONTRACT_VERIFICATIONS_PER_CLIENT: 'the same for each client',
  MAX_WAITING: 'requests that wait for another request of the same payer',
  MAX_WAITING_PER_CLIENT: 'the same for each client',
  MAX_WAITING_PER_PAYER: 'the same for each payer',
  MAX_DOWNLOADS: 'concurrent downloads of documents of former snapshots',
  MAX_DOWNLOADS_PER_CLIENT: 'the same for each client',
  MAX_CONTRACT_GAS_PERCENT: "percentage of the settler's balance that contract wallets may use for gas in 24 hours",
};

/** All variables by subject. Commands that read a variable through an option are added to those listed here. */
const SUBJECTS: Readonly<Record<string, readonly Row[]>> = {
  Gate: [
    ['PORT', ''],
    ['HOST', ''],
    ['FROZEN_ADMIN_PORT', '', undefined, 'operating.md#health-and-metrics'],
    ['FROZEN_ADMIN_HOST', ''],
    ['FROZEN_RPC_URL †', GATE, 'a node of the chain'],
    ['FROZEN_FACILITATOR_URL †', GATE],
    ['FROZEN_FACILITATOR_TOKEN †', GATE, 'a bearer token for FROZEN_FACILITATOR_URL'],
    [
      'CDP_API_KEY_ID †',
      GATE,
      "the identifier of an API key for Coinbase's facilitator",
      'payments.md#a-facilitator-that-needs-a-key',
    ],
    ['CDP_API_KEY_SECRET †', GATE, 'the secret of that API key'],
    [
      'FROZEN_SETTLER_KEY_FILE',
      GATE,
      'the file with the private key that settles payments without a facilitator',
      'payments.md#without-a-facilitator',
    ],
    ['FROZEN_SETTLER_KEY †', GATE, 'the key itself, instead of a file'],
    ['FROZEN_LEDGER_URL', '', undefined, 'hosts/node.md#the-ledger'],
    ['FROZEN_CLIENT_ADDRESS_HEADER', GATE, "the header in which a proxy sends the client's address"],
    ...Object.entries(DEFAULT_LIMITS).map(([name, value], index): Row => [
      `FROZEN_${name} †`,
      GATE,
      `limit: ${LIMITS[name as keyof Limits]} (default: ${value})`,
      index === 0 ? 'hosts/node.md#limits' : undefined,
    ]),
  ],
  Signing: [
    ['FROZEN_SIGNING_KEY_FILE', '', undefined, 'signing.md'],
    ['FROZEN_SIGNING_KEY †', SIGNING, 'the key itself, as JSON'],
    ['FROZEN_SIGNING_PASSPHRASE', SIGNING, 'the passphrase of that key'],
  ],
  Wallets: [
    ['FROZEN_BUYER_KEY', 'buy, mcp', 'the private key of the wallet that pays'],
    ['FROZEN_BUYER_PASSPHRASE', 'buy, mcp', 'the passphrase of its --keystore'],
    ['FROZEN_PAYEE_KEY', 'sign', 'the private key of the payee'],
    ['FROZEN_PAYEE_PASSPHRASE', 'sign', 'the passphrase of its --keystore'],
    ['FROZEN_WITNESS_KEY', 'witness', 'the private key of the wallet that records digests of freezes on the chain'],
    ['FROZEN_WITNESS_PASSPHRASE', 'witness', 'the passphrase of its --keystore'],
  ],
  'Sales of a Worker': [
    ['FROZEN_SALES_TOKEN †', 'sales', 'the token for reading the sales of a Worker'],
    ['FROZEN_REFUNDS_TOKEN †', 'refund', 'the token for reading the sales of a Worker and recording refunds'],
  ],
  Network: [
    [
      'HTTPS_PROXY',
      '',
      'the proxy for https: addresses, such as http://user:password@proxy.example:3128. It must support CONNECT; SOCKS is not supported. dev and demo use no proxy',
    ],
    ['HTTP_PROXY', '', 'the proxy for http: addresses, and for https: if HTTPS_PROXY is not set'],
    ['NO_PROXY', '', 'the hosts that are reached without a proxy, separated by commas'],
    ['NODE_EXTRA_CA_CERTS', '', 'a file with further certificate authorities (PEM), for a proxy or a server'],
  ],
  Other: [
    ['CLOUDFLARE_API_TOKEN', 'deploy', 'the API token with which wrangler deploys to Cloudflare'],
    [
      'AWS_REGION',
      'deploy, sales',
      'the region. AWS_PROFILE and the other variables of the AWS command line apply too',
    ],
    ['NO_COLOR', '', 'turns colours off if it is set. --color and --no-color override it'],
    ['FORCE_COLOR', '', 'use colours even in a pipe; 0 turns colours off'],
    ['TERM', '', '`dumb` turns colours off'],
    ['GIT_SSH_COMMAND', 'deploy, review', 'the SSH command that git uses'],
    ['FROZEN_DEBUG', 'verify, buy, mcp', 'shows the errors of the process that checks documents'],
    ['TMPDIR', '', 'the folder for temporary files of large queries'],
    ['XDG_CACHE_HOME', 'build, dev', 'the folder that contains the build cache, on Linux'],
  ],
};

/**
 * Returns the environment variables that these commands read, with their options, by subject. Throws if an option reads one that is not
 * listed here.
 */
export function variablesOf(commands: readonly CommandUnknownOpts[]) {
  const readers = new Map<string, {commands: Set<string>; option: string; description: string}>();
  for (const command of commands)
    for (const {envVar, long, description} of command.options)
      if (envVar !== undefined) {
        const reader = readers.get(envVar) ?? {commands: new Set(), option: long ?? '', description};
        readers.set(envVar, reader);
        reader.commands.add(topLevelName(command));
      }
  const found = Object.entries(SUBJECTS).map(([subject, rows]) => {
    const variables = rows.map(([marked, reading, ownMeaning, page]) => {
      const [name = '', mark] = marked.split(' ');
      const {commands = [], option, description = ''} = readers.get(name) ?? {};
      readers.delete(name);
      const all = new Set([...reading.split(', ').filter(Boolean), ...commands]);
      const meaning = ownMeaning ?? description;
      if (meaning === '') throw new Error(`no option reads ${name}, so it needs a meaning in this list`);
      return {name, commands: [...all].join(', ') || 'all', meaning, option, isWorkerSecret: mark !== undefined, page};
    });
    return [subject, variables] as const;
  });
  if (readers.size > 0) throw new Error(`${[...readers.keys()].join()} not in the list of environment variables`);
  return found;
}

/** Composes `docs/environment.md`. */
export function environmentReference(commands: readonly CommandUnknownOpts[]): string {
  const sections = variablesOf(commands).map(([subject, variables]) => {
    const rows = variables.map(({name, option, commands, meaning, isWorkerSecret, page}) => {
      const code = meaning.replaceAll(/https?:\/\/\S+\w|--[a-z-]+|\b(FROZEN|AWS)_[A-Z_]+\b/g, word => `\`${word}\``);
      const more = page === undefined ? '' : ` ([more](${page}))`;
      const flag = option === undefined ? '' : `\`${option}\``;
      return `| \`${name}\`${isWorkerSecret ? ' †' : ''} | ${flag} | ${commands} | ${code}${more} |`;
    });
    return `## ${subject}\n\n| variable | option | commands | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Environment variables

This page is generated from \`scripts/help/environment.ts\`: \`npm run cli-docs\` writes it. \`frozen help environment\` shows the same.

An empty variable counts as not set. An option overrides its variable. Commands do not print secrets. On Cloudflare, set the variables
marked with † as secrets of the Worker.
`;

function topLevelName(command: CommandUnknownOpts): string {
  return command.parent?.parent ? topLevelName(command.parent) : command.name();
}
