import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {InputError} from '../../shared/fault.ts';
import {isGiven} from './refuse-given.ts';

/** An option, as it is typed: `--tsa-ca`. */
type Flag = `--${string}`;

/** When an option has an effect. */
export interface Use {
  /** Only together with this option. */
  readonly with?: Flag;
  /** Only without any of these. */
  readonly without?: readonly Flag[];
}

/**
 * Throws `InputError` with every option on the command line that the other options leave without effect: its user would believe that it
 * has one. Options and conditions may also be set by the environment, but only what was typed is refused.
 */
export function refuseIgnored(command: CommandUnknownOpts, uses: Readonly<Record<Flag, Use>>): void {
  const faults = Object.entries(uses).flatMap(([flag, {with: needed, without = []}]) => {
    if (!isGiven(command, optionOf(command, flag))) return [];
    const rules = [
      ...(needed === undefined || isSet(command, needed) ? [] : [`has no effect without ${needed}`]),
      ...without.filter(other => isSet(command, other)).map(other => `has no effect with ${other}`),
    ];
    return rules.map(rule => ({file: flag, rule}));
  });
  if (faults.length > 0) throw new InputError(faults, {ofUsage: true});
}

/** True if an option has a value, from the command line or the environment; an empty variable counts as not set. */
function isSet(command: CommandUnknownOpts, flag: string): boolean {
  const name = optionOf(command, flag).attributeName();
  const value: unknown = command.getOptionValue(name);
  return ![undefined, false, ''].includes(value as undefined) && command.getOptionValueSource(name) !== 'default';
}

function optionOf(command: CommandUnknownOpts, flag: string) {
  const option = command.options.find(({long}) => long === flag);
  if (!option) throw new Error(`${command.name()} has no option ${flag}`);
  return option;
}
