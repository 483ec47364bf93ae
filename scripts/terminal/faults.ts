import {accessSync, constants, statSync} from 'node:fs';
import {tmpdir, arch, platform} from 'node:os';
import {sep} from 'node:path';
import type {CommandUnknownOpts} from '@commander-js/extra-typings';
import {SiteError} from '../../paywall/site/site-error.ts';
import type {ErrorCode} from '../../shared/error-codes.ts';
import {englishList} from '../../shared/english.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {faultLines} from '../../shared/error-text.ts';
import {InputError} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import tool from '../../package.json' with {type: 'json'};
import {printableLines} from '../../shared/printable.ts';
import {bugsUrl} from '../package/release.ts';

/** Returns an expected error with its codes and places, or undefined for a bug. */
export function expectedError(error: unknown): InputError | undefined {
  if (error instanceof InputError) return error;
  if (!(error instanceof SiteError)) return machineError(error);
  const rule = error.message.replace(/\.$/, '');
  return new InputError({code: error.code, rule, fix: error.fix}, {cause: error.cause});
}

/** Errors of the operating system that have their cause in the machine. */
const OF_MACHINE: Readonly<Record<string, string>> = {
  EMFILE: 'Raise the number of open files that a process may have (`ulimit -n`).',
  ENFILE: 'The machine has too many open files.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The disk quota is used up.',
  EROFS: 'The disk is read-only.',
  EACCES: 'Check the permissions, and which user runs the command.',
  EPERM: 'Check the permissions, and which user runs the command.',
  ENAMETOOLONG: 'Choose a shorter name.',
  ENOMEM: 'The machine has too little memory.',
  EIO: 'The disk may be damaged.',
};

/** Returns the error if the machine is its cause: a removed folder, a folder for temporary files that cannot be used, or a full disk. */
function machineError(cause: unknown): InputError | undefined {
  const {code = '', syscall, path = ''} = cause as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') {
    const rule = 'does not exist any more';
    return new InputError({code: 'FZ201', subject: 'The current folder', rule, fix: 'Change to another one.'}, {cause});
  }
  const folder = tmpdir();
  if (syscall === undefined) return undefined;
  if (`${path}${sep}`.startsWith(`${folder}${sep}`) && (code === 'ENOSPC' || !isWritableFolder(folder))) {
    const rule = `cannot be used for temporary files (${code})`;
    return new InputError({code: 'FZ401', file: folder, rule, fix: 'Set TMPDIR to a folder with free space.'}, {cause});
  }
  const fix = OF_MACHINE[code];
  return fix === undefined ? undefined : new InputError({code: 'FZ401', rule: errorMessage(cause), fix}, {cause});
}

function isWritableFolder(path: string): boolean {
  return ifReadable(() => (accessSync(path, constants.W_OK), statSync(path).isDirectory())) === true;
}

/** Returns the text of an expected error, or undefined for a bug. */
export function linesOf(error: unknown): string | undefined {
  const expected = expectedError(error);
  return expected && faultLines(expected);
}

/** The code of an error of Commander. All others are FZ905. */
const USAGE_CODES: Readonly<Record<string, ErrorCode>> = {
  'commander.conflictingOption': 'FZ901',
  'commander.invalidArgument': 'FZ902',
  'commander.missingMandatoryOptionValue': 'FZ903',
};

/** The end of a message about a wrong value. */
const INVALID = 'is invalid: $<reason>';

/** Commander's messages about an option, an argument or a variable, which is the field of the error, and the rule for each. */
const FIELD_RULES: readonly (readonly [found: RegExp, rule: string])[] = [
  [/^command-argument value '(?<value>.*?)' is invalid for argument '(?<field>\w+)'\. (?<reason>.*)$/i, INVALID],
  [/^option '(?<field>\S+)[^']*' argument '(?<value>.*?)' is invalid\. (?<reason>.*)$/i, INVALID],
  [/^option '\S+[^']*' value from env '(?<field>\w+)' is invalid\. (?<reason>.*)$/i, INVALID],
  [/^option '(?<field>\S+) (?<form>[^']*)' argument missing$/i, 'needs a value: $<form>'],
  [/^option '(?<field>\S+)[^']*' cannot be used with option '(?<other>\S+?)[ '].*$/i, 'cannot be used with $<other>'],
  [/^required option '(?<field>\S+)[^']*' not specified$/i, 'is missing'],
];

/** Commander's other messages, and the words that make each of them one whole sentence. */
const REWORDED: readonly (readonly [found: RegExp, words: string])[] = [
  [/^missing (required argument .*)$/i, '$1 is missing'],
  [/^(too many arguments for .*)\. Expected /i, '$1: expected '],
];

/**
 * Returns the error for a command line that cannot be parsed.
 *
 * @param message of Commander, without secrets
 * @param kind Commander's code
 * @param command that was called
 */
export function usageError(message: string, kind: string, command: CommandUnknownOpts): InputError {
  const said = message
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '');
  const code = USAGE_CODES[kind] ?? 'FZ905';
  const fix = code === 'FZ905' ? usageOf(kind, command) : undefined;
  for (const [found, rule] of FIELD_RULES) {
    const {field, value} = found.exec(said)?.groups ?? {};
    if (field === undefined) continue;
    const words = said
      .replace(found, rule)
      .replace(/^is invalid: It (?=is )/, '')
      .replace(/^is invalid: [A-Z](?=[a-z])/, start => start.toLowerCase());
    return new InputError({code, field, value, rule: words, fix});
  }
  const words = REWORDED.reduce((text, [found, better]) => text.replace(found, better), said);
  return new InputError({code, rule: `${words.charAt(0).toUpperCase()}${words.slice(1)}`, fix});
}

/** Returns the remedy for a command line that cannot be parsed: how to call the command. */
function usageOf(kind: string, command: CommandUnknownOpts): string {
  const help = command.createHelp();
  const isUnknownCommand = kind === 'commander.unknownCommand';
  // The program itself has too many commands to list here.
  if (isUnknownCommand && !command.parent) return 'Run `frozen --help` for a list of all commands.';
  const names = command.commands.map(each => each.name());
  const isBeforeCommand = kind === 'commander.unknownOption' && names.length > 0;
  // A usage does not name subcommands.
  const isListed = command.parent && (isUnknownCommand || isBeforeCommand);
  const choice = isListed ? ` The commands are ${englishList(names)}.` : '';
  const order = isBeforeCommand ? ' Write the options of a command after its name.' : '';
  return `Usage: \`${help.commandUsage(command)}\`.${choice}${order} Run the command with \`--help\` for details.`;
}

/** Returns the message for an unexpected error: its stack, the versions, and how to report it. */
export function bugReport(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const versions = `${tool.name} ${tool.version}, Node.js ${process.version}, ${platform()} ${arch()}`;
  return printableLines(
    `${stack}\n\nThis is a bug in ${versions}. Please report it${bugsUrl === undefined ? '' : ` at ${bugsUrl}`} with the lines above.\n`,
  );
}
