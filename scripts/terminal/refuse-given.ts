import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {InputError} from '../../shared/fault.ts';

/**
 * Throws `InputError` with each of these options that is on the command line, because it has no effect there.
 *
 * @param names of options, as members of the parsed options: `dryRun`
 */
export function refuseGiven(command: CommandUnknownOpts, names: readonly string[], rule: string): void {
  const given = command.options.filter(option => names.includes(option.attributeName()) && isGiven(command, option));
  if (given.length > 0)
    throw new InputError(
      given.map(({long}) => ({code: 'FZ901' as const, field: long ?? '', rule})),
      {ofUsage: true},
    );
}

/** True if an option is on the command line; a value from the environment or a default does not count. */
export function isGiven(command: CommandUnknownOpts, option: {attributeName(): string}): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli';
}
