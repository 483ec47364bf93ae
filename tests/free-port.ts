import {listen} from '../scripts/local-chain/listen.ts';

/** Returns a port on which no program listens. */
export async function freePort(): Promise<number> {
  await using server = await listen({fetch: () => new Response()});
  return Number(new URL(server.url).port);
}
