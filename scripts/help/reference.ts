import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {EXIT_CODES, nameOf, withSubcommands} from './help.ts';

const HEAD = `# Commands

This page is generated from the commands: \`npm run cli-docs\` writes it. \`frozen help <command>\` shows the same.

- **Site**: a command works on the nearest folder with \`data/site.json\`, here or in a parent folder. \`--root <folder>\` sets another site.
  The commands for any site (\`verify\`, \`buy\`, \`mcp\`) take its address or a file as an argument.
- **Programs**: \`--json\` writes JSON to standard output. If the command fails, it is \`{"ok": false, "errors": […], "more": 0}\`.
- **Dry runs**: with \`--dry-run\`, \`freeze\`, \`buy\` and \`deploy\` change nothing. \`deploy\` needs \`--yes\` to deploy.
- **Environment**: see [environment variables](environment.md), or run \`frozen help environment\`.
- **Completion**: \`frozen complete bash\` prints a script for your shell; zsh, fish and PowerShell work too.`;

/** Composes `docs/cli.md` from the declarations of all commands. */
export function cliReference(program: CommandUnknownOpts): string {
  const commands = withSubcommands(program).filter(command => command !== program);
  const sections = [
    HEAD,
    '## Options of every command',
    tableOf(['option', 'meaning'], optionRows(program)),
    ...commands.flatMap(sectionOf),
    '## Exit codes',
    tableOf(['code', 'meaning'], EXIT_CODES),
  ];
  return `${sections.join('\n\n')}\n`;
}

function sectionOf(command: CommandUnknownOpts): string[] {
  const help = command.createHelp();
  const argumentRows = command.registeredArguments.map(argument => [
    `\`${help.argumentTerm(argument)}\``,
    help.argumentDescription(argument),
  ]);
  const options = optionRows(command);
  return [
    `## frozen ${nameOf(command)}`,
    help.boxWrap(command.description(), 120),
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\``,
    ...(argumentRows.length > 0 ? [tableOf(['argument', 'meaning'], argumentRows)] : []),
    ...(options.length > 0 ? [tableOf(['option', 'meaning'], options)] : []),
    ...(command.commands.length > 0 ? [] : [`\`\`\`text\n${endOf(command)}\n\`\`\``]),
  ];
}

function optionRows(command: CommandUnknownOpts): string[][] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({long}) => long !== '--help')
    .map(option => [`\`${help.optionTerm(option)}\``, help.optionDescription(option)]);
}

/** Returns the help of a command after its options: notes, exit codes and an example. */
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
