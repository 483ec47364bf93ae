// A peer of the gate. Each server is a process, so that it does not share a core or memory with the load generator and
// other servers.
import {join} from 'node:path';
import {serveStatic} from '@hono/node-server/serve-static';
import {Hono} from 'hono';
import {etag} from 'hono/etag';
import {readRules} from '../../../buyer/verify/rule-checks.ts';
import {listen} from '../../../scripts/local-chain/listen.ts';
import {bareX402} from './bare.ts';

export type Kind = keyof typeof servers;

const [kind, root = '', facilitatorUrl = ''] = process.argv.slice(2) as [Kind, ...string[]];
const files = serveStatic({root: join(root, 'public')});
const servers = {
  /** The server to which the gate is compared for free documents: only Hono's file server. */
  files: () => listen(new Hono().use('/*', files)),
  /** The same with Hono's entity tags, which it computes for every response. */
  tagged: () => listen(new Hono().use('/*', etag(), files)),
  x402: async () => listen(bareX402(await readRules(root), facilitatorUrl, files)),
};
const {url} = await servers[kind]();
process.stdout.write(`${url}\n`);
