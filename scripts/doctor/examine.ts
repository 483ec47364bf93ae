import {createServer} from 'node:net';
import {once} from 'node:events';
import {statfs} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import tool from '../../package.json' with {type: 'json'};
import {namesIn} from '../../build/load-folder.ts';
import {readSite} from '../../build/read/site.ts';
import {memoryHome} from '../build/memory-home.ts';
import {findGit, gitSays} from '../programs/git.ts';
import {describeFault} from '../../shared/fault.ts';
import {expectedError} from '../terminal/faults.ts';
import {ok, problem, unchecked, type Finding} from './finding.ts';

const LEAST_FREE_BYTES = 1024 ** 3;
const MOST_CLOCK_SECONDS = 30;
const PATIENCE_MS = 10_000;
/** The default ports of `start` and `dev`. */
const PORTS = [8402, 3000];

/**
 * Checks the machine and, if there is a site, its settings. Never throws for what it finds.
 *
 * @param root the folder of the site
 * @param onCheck is called with the subject of each check before it runs
 */
export async function examine(root: string | undefined, onCheck: (subject: string) => void): Promise<Finding[]> {
  let baseUrl: string | undefined;
  const site = async (subject: string) => {
    if (root === undefined)
      return unchecked(subject, 'no data/site.json here or above: run frozen init, or use --root');
    const {title, base_url} = await readSite(root, await namesIn('hosts'));
    baseUrl = base_url;
    return ok(subject, `${title}, ${base_url}`);
  };
  const checks: readonly (readonly [subject: string, check: (subject: string) => Promise<Finding | Finding[]>])[] = [
    ['git', subject => git(subject, root ?? process.cwd())],
    ['site', site],
    ['disk', subject => disk(subject, root ?? process.cwd())],
    ['cache', cache],
    ['clock', subject => clock(subject, baseUrl)],
    ['sales', subject => sales(subject, root)],
    ['keys', keys],
    ...PORTS.map(port => ['port', (subject: string) => freePort(`${subject} ${port}`, port)] as const),
  ];
  // An unsupported version of Node.js is refused before this point.
  const findings = [ok('Node.js', `${process.version}, and ${tool.name} ${tool.version}`)];
  for (const [subject, check] of checks) {
    onCheck(subject);
    findings.push(...[await check(subject).catch(failure(subject))].flat());
  }
  return findings;
}

/** Returns a handler that converts expected errors to a problem. Their message contains the remedy. */
function failure(subject: string): (error: unknown) => Finding {
  return error => {
    const expected = expectedError(error);
    if (!expected) throw error;
    return problem(subject, 'cannot be used', expected.faults.map(describeFault).join('; '));
  };
}

async function git(subject: string, folder: string): Promise<Finding> {
  const found = await findGit(folder);
  const version = (await found.ask('--version')) ?? 'git';
  const said = await found.answer('rev-parse', '--is-inside-work-tree');
  return said.out.trim() === 'true'
    ? ok(subject, version)
    : problem(
        subject,
        `${version}, but not for this folder: ${gitSays(said)}`,
        'run git init if the site is not in a repository yet; review and deploy need it',
      );
}

async function disk(subject: string, folder: string): Promise<Finding[]> {
  return Promise.all(
    [folder, tmpdir()].map(async path => {
      const {bavail, bsize} = await statfs(path);
      const free = bavail * bsize;
      const detail = `${(free / 1024 ** 3).toFixed(1)} GiB free for ${path}`;
      return free >= LEAST_FREE_BYTES
        ? ok(subject, detail)
        : problem(subject, detail, 'free at least 1 GiB, or set TMPDIR to another disk for temporary files');
    }),
  );
}

async function cache(subject: string): Promise<Finding> {
  const home = await memoryHome({isRead: true});
  return home === undefined
    ? unchecked(subject, 'no cache folder: every build composes everything')
    : ok(subject, home);
}

/** Compares the clock with the date header of the live site, unless its address is a placeholder. */
async function clock(subject: string, url: string | undefined): Promise<Finding> {
  if (url === undefined || new URL(url).hostname.endsWith('.example'))
    return unchecked(subject, 'no live site to compare with');
  const answer = await fetch(url, {method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS)}).catch(() => undefined);
  const date = Date.parse(answer?.headers.get('Date') ?? '');
  if (Number.isNaN(date)) return unchecked(subject, `${url} does not answer with a date`);
  const seconds = Math.round((Date.now() - date) / 1000);
  return Math.abs(seconds) <= MOST_CLOCK_SECONDS
    ? ok(subject, `within ${MOST_CLOCK_SECONDS} s of ${url}`)
    : problem(
        subject,
        `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${url}`,
        'synchronise the clock (NTP)',
      );
}

/** Checks the facilitator and the node of the chain as `frozen start` does. */
async function sales(subject: string, root: string | undefined): Promise<Finding[]> {
  if (root === undefined) return [];
  const {preflightChecks} = await import('../verify/preflight-checks.ts');
  const checks = await preflightChecks(root);
  if (checks.length === 0) return [unchecked(subject, 'no usable paywall/rules/rules.json: run frozen build')];
  return checks.map(({state, what, subject: about, detail}) =>
    state === 'failed'
      ? problem(
          what,
          `${about}: ${detail}`,
          'correct data/site.json or the setting, then run frozen build; see docs/troubleshooting.md',
        )
      : {subject: what, state: state === 'passed' ? 'ok' : 'unchecked', detail: `${about}: ${detail}`},
  );
}

async function keys(): Promise<Finding[]> {
  const {accountOf} = await import('../../paywall/settler/key.ts');
  return ['FROZEN_BUYER_KEY', 'FROZEN_SETTLER_KEY', 'FROZEN_PAYEE_KEY', 'FROZEN_WITNESS_KEY'].flatMap(name => {
    const key = process.env[name];
    if (!key) return [];
    try {
      return ok(name, `the key of ${accountOf(key, name).address}`);
    } catch {
      return problem(name, 'is not a private key', 'set 0x and 64 hexadecimal digits, or unset it');
    }
  });
}

async function freePort(subject: string, port: number): Promise<Finding> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return ok(subject, 'free');
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return unchecked(subject, 'in use, by your gate or another program');
    return problem(subject, `cannot be used: ${code}`, 'choose another one with --port');
  } finally {
    server.close();
  }
}
