import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {variablesOf} from './environment.ts';
import {EXIT_CODES, nameOf, withSubcommands} from './help.ts';

/** Composes `docs/cli.md` from the declarations of all commands. */
export function cliReference(program: CommandUnknownOpts): string {
  const commands = withSubcommands(program).filter(command => command !== program);
  const variables = variablesOf(commands).map(({name, commands: readers, holds}) => [
    `\`${name}\``,
    holds,
    readers.length > 0 ? readers.join(', ') : 'all',
  ]);
  return `${[
    '# Command line',
    'This page is generated from the commands: `npm run cli-docs` writes it. `frozen help <command>` shows the same.',
    ...commands.flatMap(sectionOf),
    '## Environment variables',
    'A variable that is empty is not set. An option takes precedence over its variable.',
    tableOf(['variable', 'holds', 'commands'], variables),
    '## Exit codes',
    tableOf(['code', 'meaning'], EXIT_CODES),
  ].join('\n\n')}\n`;
}

function sectionOf(command: CommandUnknownOpts): string[] {
  const help = command.createHelp();
  const argumentRows = command.registeredArguments.map(argument => [
    `\`${help.argumentTerm(argument)}\``,
    help.argumentDescription(argument),
  ]);
  const optionRows = help
    .visibleOptions(command)
    .filter(({long}) => long !== '--help')
    .map(option => [`\`${help.optionTerm(option)}\``, help.optionDescription(option)]);
  return [
    `## frozen ${nameOf(command)}`,
    command.description(),
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
    ...(argumentRows.length > 0 ? [tableOf(['argument', 'meaning'], argumentRows)] : []),
    ...(optionRows.length > 0 ? [tableOf(['option', 'meaning'], optionRows)] : []),
    ...(command.commands.length > 0 ? [] : [`\`\`\`text\n${endOf(command)}\n\`\`\``]),
  ];
}

/** What the help of a command says after its options: notes, exit codes and an example. */
function endOf(command: CommandUnknownOpts): string {
  let shown = '';
  const output = command.configureOutput();
  command.configureOutput({writeOut: text => (shown += text)});
  command.outputHelp();
  command.configureOutput(output);
  return shown.slice(command.helpInformation().length).trim();
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
