import type {Fault, InputError} from '../../shared/fault.ts';

/** At most this many errors are shown for a column and rule. */
const SHOWN_PER_RULE = 5;

/** Returns the first error for each column, rule and value, up to SHOWN_PER_RULE for a column and rule. The others are counted. */
export function groupedFaults({faults, more}: InputError): {readonly faults: readonly Fault[]; readonly more: number} {
  const groups = new Map<string, Set<string>>();
  const shown = faults.filter(({file, field = '', rule, value}) => {
    const group = JSON.stringify([file, field.replace(/^row \d+ /, ''), rule]);
    const values = groups.get(group) ?? new Set();
    groups.set(group, values);
    const text = JSON.stringify(value ?? null);
    if (values.has(text) || values.size >= SHOWN_PER_RULE) return false;
    values.add(text);
    return true;
  });
  return {faults: shown, more: more + faults.length - shown.length};
}
