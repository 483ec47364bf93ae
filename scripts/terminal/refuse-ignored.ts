import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {refuse} from '../../shared/fault.ts';

/** Options, such as `--tsa-ca`, which have no effect if the condition is true, and why: a rule, or what they require. */
type Ignored = readonly [
  isIgnored: boolean,
  flags: readonly string[],
  why: string | {readonly requires: string},
  fix?: string,
];

/**
 * Throws `InputError` with every option on the command line that would be ignored, so that users do not rely on it. Values from the
 * environment and defaults are not refused.
 */
export function refuseIgnored(command: CommandUnknownOpts, ...ignored: readonly Ignored[]): void {
  const given = new Set(command.options.filter(option => isGiven(command, option)).map(({long}) => long));
  refuse(
    ignored.flatMap(([isIgnored, flags, why, fix]) =>
      flags
        .filter(flag => isIgnored && given.has(flag))
        .map(field => {
          const fault = {code: 'FZ901', field} as const;
          if (typeof why === 'string') return {...fault, rule: why, fix};
          return {...fault, rule: `requires ${why.requires}`, fix: `Add ${why.requires}, or remove ${field}.`};
        }),
    ),
  );
}

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
  if (command.args.includes('')) command.error('An argument is empty.', {code});
}
