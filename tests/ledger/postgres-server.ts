import {randomBytes} from 'node:crypto';
import {chown, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import glob from 'fast-glob';
import {$} from 'zx';
import {freePort} from '../free-port.ts';

/** A real Postgres server without any ledgers. `await using` removes it. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Creates a database and returns its address. */
  makeDatabase(): Promise<string>;
  /** Runs a statement in the server's first database. */
  run(sql: string): Promise<void>;
  start(): Promise<void>;
  /** Stops the server immediately, like a crash. */
  stop(): Promise<void>;
  readonly pid: () => Promise<number>;
}

const USER = 'postgres';

export async function startPostgres(): Promise<PostgresServer> {
  const [found] = (await glob('/usr/lib/postgresql/*/bin/pg_ctl')).sort().reverse();
  if (found === undefined) throw new Error('Postgres is not installed: apt-get install postgresql');
  const bin = join(found, '..');
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  // Postgres does not run as root.
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : [];
  if (isRoot) await chown(folder, await idOf('-u'), await idOf('-g'));
  const quiet = $({quiet: true, cwd: folder});
  const port = await freePort();
  const data = join(folder, 'data');
  await quiet`${as} ${bin}/initdb --pgdata ${data} --username ${USER} --auth trust --no-sync`;
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  const start = async () =>
    void (await quiet`${as} ${bin}/pg_ctl start --wait --pgdata ${data} --log ${join(folder, 'log')} -o ${options}`);
  const stop = async () => void (await quiet`${as} ${bin}/pg_ctl stop --mode immediate --pgdata ${data}`);
  const run = async (sql: string) =>
    void (await quiet`psql --quiet --host 127.0.0.1 --port ${port} --username ${USER} --command ${sql}`);
  await start();
  return {
    port,
    async makeDatabase() {
      const name = `ledger_${randomBytes(6).toString('hex')}`;
      await run(`CREATE DATABASE ${name}`);
      return `postgres://${USER}@127.0.0.1:${port}/${name}`;
    },
    run,
    start,
    stop,
    pid: async () => Number((await quiet`head -n 1 ${join(data, 'postmaster.pid')}`).stdout),
    async [Symbol.asyncDispose]() {
      await stop().catch(() => undefined);
      await rm(folder, {recursive: true, force: true});
    },
  };
}

async function idOf(flag: string): Promise<number> {
  return Number((await $({quiet: true})`id ${flag} ${USER}`).stdout);
}
