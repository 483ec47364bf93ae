import {fork} from 'node:child_process';
import {once} from 'node:events';
import type {Kind, Usage} from './server.ts';

/** A server in a process of its own. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  usage(): Promise<Usage>;
}

/** Starts the gate or one of its bare peers over the site below `root`; it never outlives this process. */
export async function serve(kind: Kind, root: string, facilitatorUrl: string): Promise<Serving> {
  const execArgv = [...process.execArgv, '--expose-gc'];
  const child = fork(new URL('server.ts', import.meta.url), [kind, root, facilitatorUrl], {execArgv});
  const gone = new AbortController();
  child.once('exit', () => {
    gone.abort(new Error(`the server "${kind}" has ended`));
  });
  const answer = async (): Promise<unknown> => {
    const [message] = (await once(child, 'message', {signal: gone.signal})) as [unknown];
    return message;
  };
  return {
    url: String(await answer()),
    async usage() {
      child.send('usage');
      return (await answer()) as Usage;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
