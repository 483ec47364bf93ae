import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import type {Running} from './node.ts';
import {SiteError} from './site-error.ts';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';
import {shownAddress, withShownAddresses} from '../shared/shown-address.ts';

const help = `Serves public/ and asks for money on the paid paths.

Usage: npm start -- [--root DIR] [--log]

  --root DIR  folder that holds public/ and paywall/rules/ (default: the project)
  --log       writes one line of JSON a request to standard output
  --help      shows this

Environment:
  PORT             port to listen on (default: 8402)
  HOST             address to listen on (default: 127.0.0.1)
  FACILITATOR_URL  takes the payments, instead of the one in the rules
  RPC_URL          node of the chain, asked about settlements whose answer got lost (optional)

Example: PORT=8080 HOST=0.0.0.0 npm start -- --log
`;

const options = {
  root: {type: 'string', default: resolve(import.meta.dirname, '..')},
  log: {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

/** Usage that cannot be understood: exit code 2. */
class UsageError extends Error {}

/** Resolves with the exit code once the gate has stopped: 0 stopped, 1 the site cannot be served, 2 wrong usage. */
export async function main(args: string[]): Promise<number> {
  standWhereCalled('start');
  try {
    const flags = readArgs(args);
    if (flags.help) {
      endWithoutOutput();
      process.stdout.write(help);
      return 0;
    }
    const running = await start(flags, process.env);
    process.stderr.write(`Listening on ${running.url}\n`);
    const code = await stopSignal();
    await running.stop();
    return code;
  } catch (error) {
    if (error instanceof UsageError) return complain(wrongUsage(error), 2);
    if (error instanceof SiteError) return complain(`${error.message}\n`, 1);
    throw error;
  }
}

function readArgs(args: string[]) {
  try {
    const {values} = parseArgs({args, options, strict: true});
    return {...values, root: values.help ? values.root : rootFolder(values.root)};
  } catch (cause) {
    throw new UsageError((cause as Error).message, {cause});
  }
}

async function start(flags: ReturnType<typeof readArgs>, env: NodeJS.ProcessEnv): Promise<Running> {
  const port = readPort(env['PORT']);
  const host = env['HOST'] || '127.0.0.1';
  const facilitatorUrl = readUrl('FACILITATOR_URL', env['FACILITATOR_URL']);
  const rpcUrl = readUrl('RPC_URL', env['RPC_URL']);
  // Loaded here so that --help and refusals do not wait for it.
  const [{openSite}, {serveSite}] = await Promise.all([import('./open-site.ts'), import('./node.ts')]);
  const site = await openSite(flags.root);
  const log = flags.log ? (line: string) => process.stdout.write(`${line}\n`) : undefined;
  const onError = (error: Error) => process.stderr.write(`${withShownAddresses(error.stack ?? error.message)}\n`);
  const onTrouble = (trouble: string) => process.stderr.write(`${trouble}\n`);
  return serveSite(site, {port, host, facilitatorUrl, rpcUrl, log, onError, onTrouble}).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE') throw new SiteError(`Port ${port} on ${host} is in use: set PORT to another.`, {cause});
    if (code === 'EACCES') throw new SiteError(`Port ${port} may not be listened on: set PORT to another.`, {cause});
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SiteError(`${host} is no address of this machine.`, {cause});
    throw cause;
  });
}

function readPort(text = '8402'): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`PORT is ${JSON.stringify(text)}, not a port.`);
}

function readUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(`${name} is ${shownAddress(text, 'origin')}, not an http address.`);
  const {username, password, search, hash} = new URL(text);
  // Not shown: it may be a secret.
  if (username + password !== '') throw new UsageError(`${name} has credentials in it, which cannot be sent.`);
  if (name === 'FACILITATOR_URL' && search + hash !== '')
    throw new UsageError(`${name} has a query or fragment: paths are put behind it.`);
  return text;
}

/**
 * Resolves with an exit code on the first signal, and where the log cannot be written any more: purchases under way still end. A
 * second signal ends the process at once.
 */
function stopSignal(): Promise<0 | 1> {
  return new Promise(resolve => {
    const stop = (code: 0 | 1 = 0) => {
      resolve(code);
    };
    process.once('SIGINT', () => {
      stop();
    });
    process.once('SIGTERM', () => {
      stop();
    });
    endWithoutOutput(stop);
  });
}

function complain(message: string, code: number): number {
  process.stderr.write(message);
  return code;
}
