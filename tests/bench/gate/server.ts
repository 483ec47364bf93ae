// A peer of the gate. One server a process, so that the load generator and the others do not share its core and its memory is its own.
import {join} from 'node:path';
import {serveStatic} from '@hono/node-server/serve-static';
import {Hono} from 'hono';
import {etag} from 'hono/etag';
import {readRules} from '../../../scripts/demo/offer.ts';
import {listen} from '../../../scripts/local-chain/listen.ts';
import {bareX402} from './bare.ts';

export type Kind = keyof typeof servers;

const [kind, root = '', facilitatorUrl = ''] = process.argv.slice(2) as [Kind, ...string[]];
const files = serveStatic({root: join(root, 'public')});
const servers = {
  /** What the gate is measured against for free documents: Hono's own file server and nothing else. */
  files: () => listen(new Hono().use('/*', files)),
  /** The same with Hono's own entity tags, which it works out for every answer. */
  tagged: () => listen(new Hono().use('/*', etag(), files)),
  x402: async () => listen(bareX402(await readRules(root), facilitatorUrl, files)),
};
const {url} = await servers[kind]();
process.stdout.write(`${url}\n`);
