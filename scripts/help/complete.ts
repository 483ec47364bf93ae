import {Command, type CommandUnknownOpts} from '@commander-js/extra-typings';
import {withSubcommands} from './help.ts';

/** `frozen complete`: prints the script with which a shell completes commands and options. */
export const completeCommand = () =>
  new Command('complete')
    .summary('print the completion script of a shell')
    .description('Prints the script with which a shell completes commands and options.')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .addHelpText(
      'after',
      '\nIn bash, completion needs the package bash-completion.\n\nExit codes: 0 printed, 2 wrong usage.\n\nExample: frozen complete bash >> ~/.bashrc\n',
    );

/** True if the arguments request a script or a completion, not the help of `frozen complete` or the error that the shell is missing. */
export function isCompletion([command, argument]: readonly string[]): boolean {
  return command === 'complete' && argument !== undefined && argument !== '--help' && argument !== '-h';
}

/** Adds the command `complete`. Its library is loaded only if the command is used. */
export async function addCompletion(program: CommandUnknownOpts): Promise<void> {
  const {default: tab} = await import('@bomb.sh/tab/commander');
  // Shells show one line for each command, and take further lines for commands.
  for (const command of withSubcommands(program)) command.description(command.summary());
  // The types of the program are stricter than those of the library.
  tab(program as unknown as Parameters<typeof tab>[0]);
}
