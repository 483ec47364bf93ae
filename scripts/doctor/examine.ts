import {createServer} from 'node:net';
import {once} from 'node:events';
import {statfs} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import tool from '../../package.json' with {type: 'json'};
import {namesIn} from '../../build/load-folder.ts';
import {readSite} from '../../build/read/site.ts';
import {cacheFolder} from '../build/cache-folder.ts';
import {findGit, gitSays} from '../programs/git.ts';
import {fixOf} from '../../shared/error-text.ts';
import {describeFault} from '../../shared/fault.ts';
import {expectedError} from '../terminal/faults.ts';
import pc from '../terminal/colours.ts';
import {textTable} from '../terminal/table.ts';

const LEAST_FREE_BYTES = 1024 ** 3;
const MOST_CLOCK_SECONDS = 30;
const PATIENCE_MS = 10_000;
/** The default ports of `start` and `dev`. */
const PORTS = [8402, 3000];

/** The result of one check. */
interface Result {
  /** `unchecked` if a setting is missing that only some sites need, or if a port is in use, possibly by a running gate. */
  readonly state: 'ok' | 'problem' | 'unchecked';
  readonly detail: string;
  /** The remedy of a problem. The member has the same name as in errors. */
  readonly fix?: string;
  /** By default that of the check. */
  readonly subject?: string;
}

export type Finding = Result & {readonly subject: string};

/**
 * Checks the machine and, if there is a site, its settings. Reports problems and never throws.
 *
 * @param root the folder of the site
 * @param onCheck is called with the subject of each check before it runs
 */
export async function examine(root: string | undefined, onCheck: (subject: string) => void): Promise<Finding[]> {
  const folder = root ?? process.cwd();
  let baseUrl: string | undefined;
  const site = async () => {
    if (root === undefined) return unchecked('no data/site.json here or above: run frozen init, or use --root');
    const {title, base_url} = await readSite(root, await namesIn('hosts'));
    baseUrl = base_url;
    return ok(`${title}, ${base_url}`);
  };
  const checks: readonly (readonly [subject: string, check: () => Promise<Result | Result[]>])[] = [
    ['git', () => git(root)],
    ['site', site],
    ['disk', () => disk(folder)],
    ['cache', cache],
    ['clock', () => clock(baseUrl)],
    ['sales', () => sales(root)],
    ['keys', keys],
    ...PORTS.map(port => [`port ${port}`, () => freePort(port)] as const),
  ];
  // An unsupported version of Node.js is refused before this point.
  const findings: Finding[] = [{subject: 'Node.js', ...ok(`${process.version}, and ${tool.name} ${tool.version}`)}];
  for (const [subject, check] of checks) {
    onCheck(subject);
    const results = [await check().catch(failure)].flat();
    findings.push(...results.map(result => ({subject, ...result})));
  }
  return findings;
}

function ok(detail: string): Result {
  return {state: 'ok', detail};
}

function problem(detail: string, fix: string): Result {
  return {state: 'problem', detail, fix};
}

function unchecked(detail: string): Result {
  return {state: 'unchecked', detail};
}

/** Converts an expected error to a problem. */
function failure(error: unknown): Result {
  const expected = expectedError(error);
  if (!expected) throw error;
  const {faults} = expected;
  return problem(faults.map(describeFault).join('; '), [...new Set(faults.map(fixOf))].join(' '));
}

/** Checks git and, if there is a site, that it is in a repository. */
async function git(root: string | undefined): Promise<Result> {
  const found = await findGit(root ?? process.cwd());
  const version = (await found.ask('--version')) ?? 'git';
  if (root === undefined) return ok(version);
  const said = await found.answer('rev-parse', '--is-inside-work-tree');
  if (said.out.trim() === 'true') return ok(version);
  return said.err.includes('not a git repository')
    ? problem(`${version}, but the site is not in a repository`, 'run git init; review and deploy need a repository')
    : problem(
        `${version}, but not for this folder: ${gitSays(said)}`,
        'correct what git reports; review and deploy need it',
      );
}

async function disk(folder: string): Promise<Result[]> {
  return Promise.all(
    [...new Set([folder, tmpdir()])].map(async path => {
      const {bavail, bsize} = await statfs(path);
      const free = bavail * bsize;
      const detail = `${(free / 1024 ** 3).toFixed(1)} GiB free for ${path}`;
      return free >= LEAST_FREE_BYTES
        ? ok(detail)
        : problem(detail, 'free at least 1 GiB, or set TMPDIR to another disk for temporary files');
    }),
  );
}

async function cache(): Promise<Result> {
  const home = await cacheFolder({isRead: true});
  return home === undefined ? unchecked('no cache folder: every build composes everything') : ok(home);
}

/** Compares the clock with the date header of the live site, unless its address is a placeholder. */
async function clock(url: string | undefined): Promise<Result> {
  if (url === undefined || new URL(url).hostname.endsWith('.example')) return unchecked('no live site to compare with');
  const answer = await fetch(url, {method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS)}).catch(() => undefined);
  const date = Date.parse(answer?.headers.get('Date') ?? '');
  if (Number.isNaN(date)) return unchecked(`${url} does not answer with a date`);
  const seconds = Math.round((Date.now() - date) / 1000);
  return Math.abs(seconds) <= MOST_CLOCK_SECONDS
    ? ok(`within ${MOST_CLOCK_SECONDS} s of ${url}`)
    : problem(`${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${url}`, 'synchronise the clock (NTP)');
}

/** Checks the facilitator and the node of the chain as `frozen start` does. */
async function sales(root: string | undefined): Promise<Result[]> {
  if (root === undefined) return [];
  const {preflightChecks} = await import('../verify/preflight-checks.ts');
  const checks = await preflightChecks(root);
  if (checks.length === 0) return [unchecked('no usable paywall/rules/rules.json: run frozen build')];
  const fix = 'correct data/site.json or the setting, then run frozen build; see docs/troubleshooting.md';
  return checks.map(({state, what, subject, detail}) => {
    const text = `${subject}: ${detail}`;
    const result = state === 'failed' ? problem(text, fix) : state === 'passed' ? ok(text) : unchecked(text);
    return {subject: what, ...result};
  });
}

async function keys(): Promise<Result[]> {
  const {accountOf} = await import('../../paywall/settler/key.ts');
  return ['FROZEN_BUYER_KEY', 'FROZEN_SETTLER_KEY', 'FROZEN_PAYEE_KEY', 'FROZEN_WITNESS_KEY'].flatMap(name => {
    const key = process.env[name];
    if (!key) return [];
    try {
      return {subject: name, ...ok(`the key of ${accountOf(key, name).address}`)};
    } catch {
      return {subject: name, ...problem('is not a private key', 'set 0x and 64 hexadecimal digits, or unset it')};
    }
  });
}

async function freePort(port: number): Promise<Result> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return ok('free');
  } catch (error) {
    const {code = 'unknown'} = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return unchecked('in use, by your gate or another program');
    return problem(`cannot be used: ${code}`, 'choose another one with --port');
  } finally {
    server.close();
  }
}

const MARKS = {ok: ['✓', pc.green], problem: ['✗', pc.red], unchecked: ['·', pc.dim]} as const;

/** Formats findings as an aligned table, with the remedy of a problem in the line below it. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({subject, state, detail, fix}) => [
    {state, cells: [MARKS[state][0], subject, detail]},
    ...(fix === undefined ? [] : [{state, cells: ['', '', `→ ${fix}`]}]),
  ]);
  const paint = (row: number, column: number) => (column === 0 ? MARKS[rows[row]?.state ?? 'ok'][1] : String);
  const cells = rows.map(row => row.cells);
  return textTable(cells, paint).join('\n');
}
