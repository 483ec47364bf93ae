import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {refuse} from '../../shared/fault.ts';

/** An option as typed: `--tsa-ca`. */
type Flag = `--${string}`;

/** The condition for an option to have an effect. */
export interface Use {
  /** Only with this option. */
  readonly with?: Flag;
  /** Only without these options. */
  readonly without?: readonly Flag[];
}

/**
 * Throws `InputError` with every option on the command line that would be ignored because of the others, so that users do not rely on it.
 * Conditions also consider the environment, but only typed options are refused.
 */
export function refuseIgnored(command: CommandUnknownOpts, uses: Readonly<Record<Flag, Use>>): void {
  const faults = Object.entries(uses).flatMap(([flag, {with: needed, without = []}]) => {
    if (!isGiven(command, optionOf(command, flag))) return [];
    const rules = [
      ...(needed === undefined || isSet(command, needed) ? [] : [`requires ${needed}`]),
      ...without.filter(other => isSet(command, other)).map(other => `cannot be used with ${other}`),
    ];
    return rules.map(rule => ({code: 'FZ901' as const, field: flag, rule}));
  });
  refuse(faults);
}

/** True if an option has a value, from the command line or the environment; an empty variable counts as not set. */
function isSet(command: CommandUnknownOpts, flag: string): boolean {
  const name = optionOf(command, flag).attributeName();
  const value: unknown = command.getOptionValue(name);
  return ![undefined, false, ''].includes(value as undefined) && command.getOptionValueSource(name) !== 'default';
}

function optionOf(command: CommandUnknownOpts, flag: string) {
  const option = command.options.find(({long}) => long === flag);
  if (!option) throw new Error(`option ${flag} of ${command.name()} does not exist`);
  return option;
}

/**
 * Throws `InputError` with each of these options that is on the command line, because it would be ignored there.
 *
 * @param names of options, as members of the parsed options: `dryRun`
 */
export function refuseGiven(command: CommandUnknownOpts, names: readonly string[], rule: string, fix?: string): void {
  const given = command.options.filter(option => names.includes(option.attributeName()) && isGiven(command, option));
  refuse(given.map(({long}) => ({code: 'FZ901', field: long ?? '', rule, fix})));
}

/** True if an option is on the command line; a value from the environment or a default does not count. */
function isGiven(command: CommandUnknownOpts, option: {attributeName(): string}): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli';
}

/** Options for which an empty text has a meaning. An empty text for an option with a variable means that it is not set. */
const MAY_BE_EMPTY = ['--description', '--missing'];

/** Throws `CommanderError` for an empty argument or value of an option, for example from a variable of the shell that is not set. */
export function refuseEmpty(command: CommandUnknownOpts): void {
  const option = command.options.find(
    given =>
      isGiven(command, given) &&
      [command.getOptionValue(given.attributeName())].flat().includes('') &&
      given.envVar === undefined &&
      !MAY_BE_EMPTY.includes(given.long ?? ''),
  );
  const code = 'commander.invalidArgument';
  if (option) command.error(`Option '${option.flags}' argument '' is invalid. It is empty.`, {code});
  if (command.args.includes('')) command.error("Command-argument value '' is invalid. It is empty.", {code});
}
