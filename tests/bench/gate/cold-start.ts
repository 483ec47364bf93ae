import {writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {basename, dirname, join} from 'node:path';
import {createInterface} from 'node:readline';
import {leashed} from '../../../scripts/local-chain/chain.ts';
import {fileOfPackage} from '../../extra/extra.ts';
import type {Question} from './load.ts';

/** The inputs of a Worker: the folder of its files, and its facilitator. */
interface Surroundings {
  readonly assets: string;
  readonly facilitatorUrl: string;
}

/**
 * Starts workerd with a bundled Worker and sends one request. Returns the milliseconds from the start to the end of the
 * response.
 */
export async function coldStart(module: string, around: Surroundings, {path, status}: Question): Promise<number> {
  const config = join(dirname(module), 'workerd.capnp');
  await writeFile(config, configOf(basename(module), around));
  const begun = performance.now();
  // Starts the program directly, because the package's launcher is a Node process.
  const {stdout, stop} = leashed(workerdProgram(), ['serve', config, '--control-fd=1']);
  try {
    const response = await fetch(`http://127.0.0.1:${await portIn(stdout)}${path}`);
    await response.arrayBuffer();
    if (response.status !== status) throw new Error(`workerd answered ${path} with ${response.status}, not ${status}`);
    return performance.now() - begun;
  } finally {
    await stop();
  }
}

/** The configuration with which workerd runs one module of the same folder in front of files. */
function configOf(module: string, {assets, facilitatorUrl}: Surroundings): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "assets", disk = ${JSON.stringify(assets)}),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed ${JSON.stringify(module)})],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    (name = "ASSETS", service = "assets"),
    (name = "FROZEN_FACILITATOR_URL", text = ${JSON.stringify(facilitatorUrl)}),
  ],
);
`;
}

function workerdProgram(): string {
  // The workerd of wrangler.
  const require = createRequire(fileOfPackage('wrangler/package.json'));
  return (require('workerd') as {default: string}).default;
}

/** Reads the port from the control pipe, on which workerd writes a line of JSON per event. */
async function portIn(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({input: output})) {
    const {event, port} = JSON.parse(line) as {event: string; port?: number};
    if (event === 'listen' && port !== undefined) return port;
  }
  throw new Error('workerd ended before it listened');
}
