import pc from '../terminal/colours.ts';
import {tableLines} from '../terminal/table.ts';
import {counted} from '../../shared/counted.ts';
import {isFine, type Check} from '../../buyer/verify/check.ts';
import {WITNESS} from '../../buyer/verify/proof-result.ts';
import {RECEIPT} from '../../buyer/verify/verify-receipt.ts';

/** How many failures and notes of one kind are shown. The others are counted. */
const MOST_SHOWN = 20;

/** Passed checks of these kinds are shown individually, because their details are the result. */
const SHOWN_KINDS: readonly string[] = [WITNESS, RECEIPT];

const marks = {passed: pc.green('✓'), failed: pc.red('✗'), noted: pc.yellow('!'), unchecked: pc.dim('·')} as const;

/**
 * Returns an aligned table: all failures and notes, and a summary line for each kind of other checks; with `all`, a line for each check.
 */
export function tableOf(checks: readonly Check[], all: boolean): string {
  const kinds = [...new Set(checks.map(({what}) => what))];
  const shown = all ? checks : kinds.flatMap(kind => summarised(checks.filter(({what}) => what === kind)));
  const rows = shown.map(({state, what, subject, detail}) => {
    return [marks[state], what, subject, state === 'passed' ? pc.dim(detail) : detail];
  });
  return tableLines(rows).join('\n');
}

/** Returns the last line of a report: the result, and the number of checks with each result. */
export function verdictOf(name: string, checks: readonly Check[], seconds: number): string {
  const count = (state: Check['state']) => checks.filter(check => check.state === state).length;
  const [passed, failed, noted, unchecked] = [count('passed'), count('failed'), count('noted'), count('unchecked')];
  const parts = [
    `${counted(passed, 'check')} passed`,
    `${failed} failed`,
    ...(noted > 0 ? [counted(noted, 'note')] : []),
    ...(unchecked > 0 ? [`${unchecked} not checked`] : []),
  ];
  const word = isFine(checks) ? pc.green('verified') : pc.red('not verified');
  return `${word}: ${name}: ${parts.join(', ')}  ${pc.dim(`${seconds.toFixed(2)} s`)}`;
}

function summarised(checks: readonly Check[]): Check[] {
  return [
    ...listed(checks.filter(({state}) => state === 'failed')),
    ...listed(checks.filter(({state}) => state === 'noted')),
    ...listed(checks.filter(({state, what}) => state === 'passed' && SHOWN_KINDS.includes(what))),
    ...together(checks.filter(({state, what}) => state === 'passed' && !SHOWN_KINDS.includes(what))),
    ...together(checks.filter(({state}) => state === 'unchecked')),
  ];
}

/** Returns the first MOST_SHOWN checks, and a line with the number of others. */
function listed(checks: readonly Check[]): readonly Check[] {
  const [first] = checks;
  const more = checks.length - MOST_SHOWN;
  if (!first || more <= 0) return checks;
  return [...checks.slice(0, MOST_SHOWN), {...first, subject: '…', detail: `and ${more} more`}];
}

/** Summarises checks of one kind and state: one line for those of products, and one for those of paths. */
function together(checks: readonly Check[]): readonly Check[] {
  return (['product', 'path'] as const).flatMap(noun => {
    const alike = checks.filter(({subject}) => subject.startsWith('/') === (noun === 'path'));
    const [first] = alike;
    if (!first || alike.length === 1) return alike;
    const details = new Set(alike.map(({detail}) => detail));
    const subjects = new Set(alike.map(({subject}) => subject)).size;
    return [{...first, subject: counted(subjects, noun), detail: details.size === 1 ? first.detail : ''}];
  });
}
