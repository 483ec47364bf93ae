import type {Fault, InputError} from '../../shared/fault.ts';

/** Of faults of one column and rule at most this many are shown, each with another value. */
const SHOWN_PER_RULE = 5;

/** The first fault for each column, rule and value, a few for each column and rule; the others are only counted. */
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
