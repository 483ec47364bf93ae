import pc from '../terminal/colours.ts';
import {counted} from '../../shared/counted.ts';
import {isFine, type Check} from './check.ts';

/** Failures of one kind that are shown; the rest is counted. */
const SHOWN_FAILURES = 20;

const marks = {passed: pc.green('✓'), failed: pc.red('✗'), unchecked: pc.dim('·')} as const;

interface Line {
  readonly state: Check['state'];
  readonly cells: readonly [string, string, string];
}

/** An aligned table: every failure, and everything else a line a kind of check; with `all`, a line a check. */
export function tableOf(checks: readonly Check[], all: boolean): string {
  const lines = all ? checks.map(lineOf) : [...grouped(checks).values()].flatMap(summarised);
  const widths = [0, 1].map(column => lines.reduce((most, {cells}) => Math.max(most, cells[column]?.length ?? 0), 0));
  return lines
    .map(({state, cells: [what, subject, detail]}) =>
      [marks[state], what.padEnd(widths[0] ?? 0), subject.padEnd(widths[1] ?? 0), toned(state, detail)].join('  '),
    )
    .join('\n');
}

/** One line: what was verified and how it ended. */
export function verdictOf(name: string, checks: readonly Check[], seconds: number): string {
  const count = (state: Check['state']) => checks.filter(check => check.state === state).length;
  const [passed, failed, unchecked] = [count('passed'), count('failed'), count('unchecked')];
  const parts = [
    `${counted(passed, 'check')} passed`,
    `${failed} failed`,
    ...(unchecked > 0 ? [`${unchecked} not made`] : []),
  ];
  const word = isFine(checks) ? pc.green('verified') : pc.red('not verified');
  return `${word}: ${name}: ${parts.join(', ')}  ${pc.dim(`${seconds.toFixed(2)} s`)}`;
}

/** The same for a program. */
export function verdictForPrograms(target: string, checks: readonly Check[], seconds: number): object {
  return {ok: isFine(checks), target, seconds, checks};
}

function grouped(checks: readonly Check[]): Map<string, Check[]> {
  const groups = new Map<string, Check[]>();
  for (const check of checks) {
    const group = groups.get(check.what);
    if (group) group.push(check);
    else groups.set(check.what, [check]);
  }
  return groups;
}

function summarised(checks: readonly Check[]): Line[] {
  const failures = checks.filter(({state}) => state === 'failed');
  const more = failures.length - SHOWN_FAILURES;
  const [first] = failures;
  return [
    ...failures.slice(0, SHOWN_FAILURES).map(lineOf),
    ...(first && more > 0 ? [{state: 'failed', cells: [first.what, '…', `and ${more} more`]} satisfies Line] : []),
    ...together(checks.filter(({state}) => state === 'passed')),
    ...together(checks.filter(({state}) => state === 'unchecked')),
  ];
}

/** Checks of one kind that ended the same way, in one line. */
function together(checks: readonly Check[]): Line[] {
  const [first] = checks;
  if (!first) return [];
  if (checks.length === 1) return [lineOf(first)];
  const details = new Set(checks.map(({detail}) => detail));
  const subjects = new Set(checks.map(({subject}) => subject)).size;
  const cells = [first.what, counted(subjects, nounFor(first)), details.size === 1 ? first.detail : ''] as const;
  return [{state: first.state, cells}];
}

function nounFor({subject}: Check): string {
  return subject.startsWith('/') ? 'path' : 'product';
}

function lineOf({state, what, subject, detail}: Check): Line {
  return {state, cells: [what, subject, detail]};
}

function toned(state: Check['state'], detail: string): string {
  return state === 'passed' ? pc.dim(detail) : detail;
}
