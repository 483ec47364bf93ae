import {Command, CommanderError, type CommandUnknownOpts} from '@commander-js/extra-typings';
import tool from '../package.json' with {type: 'json'};
import {build} from './build.ts';
import {buy} from './buy.ts';
import {demo} from './demo.ts';
import {deploy} from './deploy.ts';
import {dev} from './dev.ts';
import {doctor} from './doctor.ts';
import {freeze} from './freeze.ts';
import {init} from './init.ts';
import {mcp} from './mcp.ts';
import {refund} from './refund.ts';
import {review} from './review.ts';
import {sales} from './sales.ts';
import {sign} from './sign.ts';
import {start} from './start.ts';
import {addCompletion, completeCommand, isCompletion} from './help/complete.ts';
import {helpCommand, withSubcommands} from './help/help.ts';
import {expectedError, usageError} from './terminal/faults.ts';
import {exitCodeOf, newTerminal, type Run, type Terminal} from './terminal/command.ts';
import {refuseEmpty} from './terminal/refuse-ignored.ts';
import {StatusLine} from './terminal/status-line.ts';
import {verify} from './verify.ts';
import {witness} from './witness.ts';
import {useProxy} from '../shared/proxy.ts';
import {shownAddress} from '../shared/shown-address.ts';
import {getSystemErrorMap} from 'node:util';
import {printableOutput} from '../shared/printable.ts';

type Declare = (run: Run) => CommandUnknownOpts;

/** The commands in the order and groups of the help. */
const GROUPS: Readonly<Record<string, readonly Declare[]>> = {
  'Make a site:': [init, freeze, build, dev],
  'Check it:': [review, verify, doctor],
  'Sign and publish:': [sign, witness, deploy],
  'Sell with a gate:': [start, sales, refund, demo],
  'Buy:': [buy, mcp],
};

/** Commands that connect only to servers which they start on this machine, so they use no proxy. */
const LOCAL: readonly Declare[] = [demo, dev];

/**
 * Declares all commands.
 *
 * @param runOf returns the function that runs a command
 * @param completes true to omit the command `complete`, because the one of the completion library replaces it
 */
export function createProgram(
  runOf: (options: {readonly isLocal: boolean}) => Run,
  completes = false,
): CommandUnknownOpts {
  const program = new Command('frozen')
    .description(
      'Freezes lists, publishes figures about them as static JSON documents, and sells the documents over HTTP 402.',
    )
    .version(tool.version)
    .option('--quiet', 'print only errors')
    .option('--verbose', 'print the causes of errors, with their stacks')
    .option('--color', 'use colours even in a pipe')
    .option('--no-color', 'use no colours')
    .addHelpText(
      'after',
      `
Commands for your own site find it in this folder or the nearest parent folder with data/site.json, or
with --root. Commands for any site (verify, buy, mcp) take its address or a file as an argument.

Example: frozen build --check
`,
    );
  program.hook('preAction', (_, command) => {
    // Shells complete an empty word.
    if (!completes) refuseEmpty(command);
  });
  program.addHelpText('beforeAll', ({command}) => refuseUnknown(command));
  for (const [group, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(group);
    for (const declare of commands) program.addCommand(declare(runOf({isLocal: LOCAL.includes(declare)})));
  }
  program.commandsGroup('Help:');
  program.addCommand(helpCommand(program));
  if (!completes) program.addCommand(completeCommand());
  for (const command of withSubcommands(program)) command.configureHelp({showGlobalOptions: true});
  return program;
}

/**
 * Runs a `frozen` command and returns its exit code: 0 success, 1 the input or a check failed, 2 wrong usage. Text goes to the streams of
 * the process by default.
 */
export async function frozen(
  args: readonly string[],
  streams: Partial<Pick<Terminal, 'out' | 'err'>> = {},
): Promise<number> {
  const out = visibleOutput(streams.out ?? process.stdout);
  const err = visibleOutput(streams.err ?? process.stderr);
  let terminal = newTerminal(out, err, new StatusLine(process.stderr), args.includes('--json'));
  if (streams.out === undefined || streams.out === process.stdout)
    onOutputEnd(code => {
      terminal.onOutputEnd(code);
    });
  let code = 0;
  const program = createProgram(
    ({isLocal}) =>
      async ({json = false}, work) => {
        const {quiet = false, verbose = false}: {quiet?: boolean; verbose?: boolean} = program.opts();
        // With --quiet, only errors and JSON are printed.
        const ownOut = quiet && !json ? {write: () => true} : out;
        terminal = newTerminal(ownOut, err, new StatusLine(quiet ? undefined : process.stderr), json);
        const workByProxy = async (own: Terminal) => {
          if (!isLocal) await useProxy(process.env);
          return work(own);
        };
        code = await exitCodeOf(workByProxy, terminal, verbose);
      },
    isCompletion(args),
  );
  // An empty variable counts as unset.
  for (const {options} of withSubcommands(program))
    for (const {envVar} of options)
      if (envVar !== undefined && process.env[envVar] === '') Reflect.deleteProperty(process.env, envVar);
  let misused: CommandUnknownOpts = program;
  for (const command of withSubcommands(program))
    command
      .exitOverride(error => {
        misused = command;
        throw error;
      })
      .configureOutput({
        writeOut: text => out.write(text),
        writeErr: text => err.write(text),
        outputError: () => undefined,
        getOutHelpWidth: () => Math.min(process.stdout.columns || 100, 120),
      });
  if (isCompletion(args)) await addCompletion(program);
  try {
    await program.parseAsync(args, {from: 'user'});
    return code;
  } catch (error) {
    const expected = expectedError(error);
    if (expected) {
      terminal.printErrors(expected);
      return 1;
    }
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // Without a subcommand, Commander has printed the help.
    if (error.code !== 'commander.help')
      terminal.printErrors(usageError(withoutSecrets(error.message), error.code, misused));
    return 2;
  }
}

/** Refuses an unknown subcommand, also if the command line asks for help. Returns no text. */
function refuseUnknown(command: CommandUnknownOpts): string {
  const [name = '-'] = command.args;
  const names = command.commands.map(each => each.name());
  if (names.length > 0 && !name.startsWith('-') && !names.includes(name))
    command.error(`error: unknown command '${name}'`, {code: 'commander.unknownCommand'});
  return '';
}

/** Returns a message of Commander without the values of variables, and with only the origins of addresses. */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(/ value '.*' from env '(\w+)'/g, " value from env '$1'")
    .replaceAll(/[a-z]+:\/\/[^\s']*[^\s'.,:;]/gi, address => shownAddress(address, 'origin'));
}

/**
 * Ends a command if standard output cannot be written: with a message and exit code 1. If the reader closed the pipe, as `head` does,
 * without a message and with the command's own exit code.
 *
 * @param end called once
 */
function onOutputEnd(end: (code?: number) => void): void {
  let ended = false;
  process.stdout.on('error', ({code, errno = 0, message}: NodeJS.ErrnoException) => {
    if (ended) return;
    ended = true;
    if (code === 'EPIPE') {
      end();
      return;
    }
    // The message of the system, such as "no space left on device".
    const [, words = message] = getSystemErrorMap().get(errno) ?? [];
    process.stderr.write(`standard output cannot be written: ${words}\n`);
    end(1);
  });
}

/** Wraps a stream so that control and invisible characters are written as escapes. */
function visibleOutput(stream: Terminal['out']): Terminal['out'] {
  return {write: text => stream.write(printableOutput(text))};
}
