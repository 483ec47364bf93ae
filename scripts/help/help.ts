import {Command, type CommandUnknownOpts} from '@commander-js/extra-typings';
import {tableLines} from '../terminal/table.ts';
import {variablesOf} from './environment.ts';
import {errorPage} from './errors.ts';

/** The meanings of the exit codes of all commands. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success: the command did its work, and every check passed'],
  ['1', 'failure: the input was refused or a check failed; the message says what to do'],
  ['2', 'wrong usage: an unknown option, a wrong value, or options that exclude each other'],
];

/** Returns a command and all commands below it, in the order of the help. */
export function withSubcommands(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** `frozen help`: the help of a command, or a page about all commands. */
export function helpCommand(program: CommandUnknownOpts): Command<[string[]]> {
  return new Command('help')
    .summary('show the help of a command or an error code, the environment variables or the exit codes')
    .description(
      'Shows the help of a command or an error code. `environment` lists all environment variables, `exit-codes` all exit codes.',
    )
    .argument('[topic...]', 'a command, an error code such as FZ104, environment, or exit-codes')
    .addHelpText('after', '\nExit codes: 0 shown, 2 unknown topic.\n\nExample: frozen help environment\n')
    .action((topic, _, help) => {
      const name = topic.join(' ');
      const page = pageOf(program, name) ?? errorPage(name);
      const command = withSubcommands(program).find(one => name === nameOf(one));
      if (page !== undefined) program.configureOutput().writeOut?.(page);
      else if (command) command.outputHelp();
      else help.error(`error: unknown help topic '${name}'`, {exitCode: 2});
    });
}

function pageOf(program: CommandUnknownOpts, topic: string): string | undefined {
  if (topic === 'exit-codes') return `${tableLines(EXIT_CODES).join('\n')}\n`;
  if (topic !== 'environment') return undefined;
  const sections = variablesOf(withSubcommands(program)).map(([subject, variables]) => {
    const rows = variables.map(({name, commands, meaning}) => [name, `${meaning} (${commands})`]);
    return `${subject}\n\n${tableLines(rows).join('\n')}\n`;
  });
  return ['An empty variable counts as not set. An option overrides its variable.\n', ...sections].join('\n');
}

/** Returns the name of a command without `frozen`: `deploy s3`; empty for the program itself. */
export function nameOf(command: CommandUnknownOpts): string {
  const {parent} = command;
  return parent ? `${nameOf(parent)} ${command.name()}`.trim() : '';
}
