import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {getRequestListener} from '@hono/node-server';
import {Hono} from 'hono';
import type {SqlLedger} from '../ledger/sql-ledger.ts';
import {problem, type Problem} from '../http/problem.ts';
import {newFigures, type Figures} from './figures.ts';
import {gracefulClose} from './graceful-close.ts';
import {healthOf, type Needs} from './health.ts';
import {listen} from './listen.ts';
import {cached} from './cached.ts';
import {resolveTarget} from './request-target.ts';

/** How long the result of the checks is reused, in milliseconds. */
const CHECK_EVERY_MS = 5_000;
const headers = {'Cache-Control': 'no-store'};
/** The hosts of a loopback interface, as `URL` spells them. */
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** `/healthz` and `/metrics`, on a port of their own that buyers must not reach. */
export class Admin {
  /** Counts what the gate reports. */
  readonly figures: Figures;
  readonly #ledger: SqlLedger;
  #stop: (() => Promise<void>) | undefined;

  constructor(ledger: SqlLedger) {
    this.#ledger = ledger;
    this.figures = newFigures(() => ledger.count(['settled']));
  }

  /** Starts to answer, and returns the address. Rejects with `SiteError` if the port cannot be used. */
  listen(place: {readonly host: string; readonly port: number}, needs: Omit<Needs, 'probeLedger'>): Promise<string> {
    const ask = cached(CHECK_EVERY_MS, async () => {
      const health = await healthOf({...needs, probeLedger: () => this.#ledger.probe()});
      return {health, at: performance.now()};
    });
    const app = new Hono()
      .use((c, next) => {
        const {address, family} = server.address() as AddressInfo;
        const {hostname} = new URL(c.req.url);
        // A page in a browser on this machine could reach a loopback port through a host name of its own (DNS rebinding).
        const isOpen = !LOOPBACK.test(family === 'IPv6' ? `[${address}]` : address);
        const isHere = LOOPBACK.test(hostname) || hostname === place.host.toLowerCase();
        return isOpen || isHere ? next() : Promise.resolve(problem(MISDIRECTED));
      })
      .get('/healthz', async c => {
        const {health, at} = await ask();
        const asked_seconds_ago = Math.round((performance.now() - at) / 1000);
        return c.json({...health, asked_seconds_ago}, health.ok ? 200 : 503, headers);
      })
      .get('/metrics', async c => {
        const {text, type} = await this.figures.text();
        return c.body(text, 200, {...headers, 'Content-Type': type});
      })
      .notFound(() => problem({status: 404, title: 'Not found', detail: 'There are /healthz and /metrics here.'}));
    const answer = getRequestListener(request => app.fetch(request));
    const server = createServer((incoming, outgoing) => {
      resolveTarget(incoming);
      void answer(incoming, outgoing);
    });
    this.#stop = gracefulClose(server);
    return listen(server, {...place, setting: '--admin-port or FROZEN_ADMIN_PORT'});
  }

  /** Completes the answers in progress. */
  async stop(): Promise<void> {
    await this.#stop?.();
  }
}

const MISDIRECTED: Problem = {
  status: 421,
  title: 'Misdirected request',
  detail: 'This port is on loopback: use localhost or the address that the gate reported.',
};
