import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import glob from 'fast-glob';
import {environmentReference, variablesOf} from '../../scripts/help/environment.ts';
import {nameOf, withSubcommands} from '../../scripts/help/help.ts';
import {errorReference} from '../../scripts/help/errors.ts';
import {cliReference} from '../../scripts/help/reference.ts';
import {createProgram, frozen} from '../../scripts/program.ts';
import {ERRORS} from '../../shared/error-codes.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {runScript} from './script-run.ts';

const program = createProgram(() => () => Promise.resolve());
const commands = withSubcommands(program).filter(command => command !== program);

/** Returns the output of a command for a terminal of 100 columns. */
async function printed(...args: readonly string[]): Promise<{code: number; text: string}> {
  let text = '';
  const out = {write: (chunk: string) => (text += chunk)} as unknown as NodeJS.WriteStream;
  return {code: await frozen(args, {out, err: out}), text};
}

test('the help of every command has an example and its exit codes, and no empty default', async () => {
  for (const command of commands.map(nameOf)) {
    const {code, text} = await printed(...command.split(' '), '--help');
    assert.equal(code, 0);
    assert.match(text, /\nExit codes: 0 /, command);
    assert.match(text, new RegExp(`\\nExamples?:\\s+frozen ${command} `), command);
    assert.doesNotMatch(text, /default: (\[\]|none|undefined)/, command);
    assert.deepEqual(await printed('help', ...command.split(' ')), {code: 0, text}, command);
  }
  assert.ok(commands.length > 20, String(commands.length));
});

test('the help lists every command in a group', async () => {
  const {text} = await printed('--help');
  for (const command of program.commands) assert.match(text, new RegExp(`^  ${command.name()} `, 'm'));
  assert.doesNotMatch(text, /^Commands:/m);
  assert.equal((await printed('help', 'nothing')).code, 2);
});

test('docs/cli.md is generated from the commands', async () => {
  assert.equal(await readFile(join(PROJECT, 'docs/cli.md'), 'utf8'), cliReference(program), 'run npm run cli-docs');
});

test('docs/environment.md is what the table of variables and the commands declare', async () => {
  const page = await readFile(join(PROJECT, 'docs/environment.md'), 'utf8');
  assert.equal(page, environmentReference(commands), 'run npm run cli-docs');
  assert.match(page, /^\| `FROZEN_RPC_URL` † \| `--rpc-url` \| start, .*\bbuy, mcp \| a node of the chain \|$/m);
});

test('--quiet, --verbose and --color are in the help of every command, and in docs/cli.md', async () => {
  for (const command of commands.map(nameOf)) {
    const {text} = await printed(...command.split(' '), '--help');
    assert.match(text, /\nGlobal Options:\n.*--quiet.*\n.*--verbose.*\n.*--color/s, command);
  }
  assert.match(
    cliReference(program),
    /## Options of every command\n\n.*`--quiet` \| .*`--verbose` \| .*`--color` \| /s,
  );
});

test('docs/errors.md has an entry for every code, and frozen help shows it', async () => {
  const page = await readFile(join(PROJECT, 'docs/errors.md'), 'utf8');
  assert.equal(page, errorReference(), 'run npm run cli-docs');
  for (const [code, {fix}] of Object.entries(ERRORS)) {
    assert.ok(page.includes(`\n### ${code}\n`), code);
    const {code: exit, text} = await printed('help', code.toLowerCase());
    assert.equal(exit, 0);
    assert.ok(text.startsWith(`${code}: `) && text.includes(fix), code);
  }
  const {code, text} = await printed('help', 'FZ000');
  assert.equal(code, 2);
  assert.match(text, /Unknown help topic 'FZ000'/);
});

test('every error code is used, and has complete sentences', async () => {
  const files = await glob('{build,buyer,paywall,scripts,shared}/**/*.ts', {cwd: PROJECT, absolute: true});
  const sources = await Promise.all(
    files.filter(file => !file.endsWith('error-codes.ts')).map(file => readFile(file, 'utf8')),
  );
  for (const [code, {title, cause, fix}] of Object.entries(ERRORS)) {
    assert.ok(
      sources.some(source => source.includes(`'${code}'`)),
      `${code} is not used`,
    );
    assert.match(cause, /^[A-Z].*\.$/, code);
    assert.match(fix, /^[A-Z].*\.$/, code);
    assert.match(title, /^[A-Z].*[^.]$/, code);
  }
});

test('help is refused for a command that does not exist', async () => {
  for (const args of [
    ['nothing', '--help'],
    ['--quiet', 'nothing', '-h'],
    ['sign', 'nothing', '--help'],
  ]) {
    const {code, text} = await printed(...args);
    assert.deepEqual([code, text.split('\n', 1)], [2, ["Unknown command 'nothing'. [FZ905]"]]);
  }
});

test('a command line that cannot be read is answered with the usage of its command', async () => {
  for (const [usage, ...args] of [
    ['frozen freeze [options] <source> <files...>', 'freeze', 'list.csv'],
    ['frozen verify document [options] <file>', 'verify', 'document', '--nothing'],
    ['frozen help [options] [topic...]', 'help', 'nothing'],
  ]) {
    const {text} = await printed(...args);
    assert.equal(text.split('\n')[1], `FZ905: Usage: \`${usage}\`. Run the command with \`--help\` for details.`);
  }
});

test('the messages of Commander become plain sentences', async () => {
  for (const [line, ...args] of [
    ['--title needs a value: <text>. [FZ905]', 'init', 'x', '--title'],
    ['--header-row "0" is invalid: expected a whole number', 'freeze', 'a', 'a.csv', '--header-row', '0'],
    ['--only "foo" is invalid: foo is neither', 'buy', 'https://a.example', '--only', 'foo'],
    ['--bucket is missing. [FZ903]', 'deploy', 's3'],
    ['An argument is empty. [FZ902]', 'verify', 'document', ''],
    ['--watch cannot be used with --dry-run. [FZ901]', 'buy', 'https://a.example', '--watch', '--dry-run'],
    ['--json cannot be used with --csv. [FZ901]', 'sales', '--csv', '--json'],
    ['\nFZ901: Remove the option, or the one that it cannot be used with.\n', 'sales', '--csv', '--json'],
    ['\nFZ901: Add --admin-port, or remove --admin-host.\n', 'start', '--admin-host', '127.0.0.1'],
  ] as const)
    assert.ok((await printed(...args)).text.includes(line), line);
});

test('the help says when a site is an option and when an argument, and the commands follow it', async () => {
  const {text} = await printed('--help');
  assert.match(
    text,
    /or\nwith --root\. Commands for any site \(verify, buy, mcp\) take its address or a file as an argument\./,
  );
  const hasRoot = (name: string) =>
    commands.some(command => nameOf(command) === name && command.options.some(({long}) => long === '--root'));
  for (const name of ['freeze', 'build', 'dev', 'review', 'doctor', 'witness', 'start', 'sales', 'refund', 'demo'])
    assert.ok(hasRoot(name), name);
  for (const name of ['buy', 'mcp', 'verify receipt']) assert.ok(!hasRoot(name), name);
});

test('an option before the command is answered with its place', async () => {
  const {text} = await printed('--root', 'x', 'build');
  assert.match(text, /^Unknown option '--root'\. \[FZ905\]\nFZ905: .*Write the options of a command after its name\./);
});

test('an unknown command is answered with the commands', async () => {
  const usage = 'FZ905: Usage: `frozen verify [options] [command]`. The commands are site, document and receipt.';
  const before = `${usage} Write the options of a command after its name.`;
  for (const [remedy, ...args] of [
    [usage, 'verify', 'https://snapshots.example'],
    [before, 'verify', '--json'],
    ['FZ905: Run `frozen --help` for a list of all commands.', 'nothing'],
  ] as const)
    assert.ok((await printed(...args)).text.includes(`\n${remedy}`), args.join(' '));
});

test('without a shell, complete is answered with its usage', async () => {
  const {code, err} = await runScript('complete', []);
  assert.equal(code, 2);
  assert.match(err, /^Required argument 'shell' is missing\n/);
});

test('with --json, an error of an option or argument names it as its field, with the value', async () => {
  for (const [field, value, ...args] of [
    ['--port', 'x', 'start', '--json', '--port', 'x'],
    ['--since', 'soon', 'sales', '--json', '--since', 'soon'],
    ['sale', 'x', 'refund', '--json', 'x'],
    ['--json', undefined, 'sales', '--json', '--csv'],
    ['--bucket', undefined, 'deploy', 's3', '--json'],
    ['--root', undefined, 'build', '--json', '--root'],
  ] as const) {
    let out = '';
    await frozen(args, {out: {write: (text: string) => (out += text)}, err: {write: () => true}});
    const {errors} = JSON.parse(out) as {errors: {field?: string; value?: unknown}[]};
    assert.deepEqual(
      errors.map(error => [error.field, error.value]),
      [[field, value]],
      out,
    );
  }
});

test('an invalid value of a variable is not shown, also with --json', async () => {
  for (const flags of [[], ['--json']])
    for (const value of ['s3cret', 'ftp://host/s3cret']) {
      const {code, out, err} = await runScript('verify', ['site', ...flags], {FROZEN_RPC_URL: value});
      assert.equal(code, 2);
      assert.match(out + err, /FROZEN_RPC_URL/);
      assert.doesNotMatch(out + err, /s3cret/);
    }
});

test('wrong usage is also JSON with --json, and ends with 2', async () => {
  for (const [expected, ...args] of [
    ['FZ905', 'build', '--json', '--nothing'],
    ['FZ902', 'verify', 'site', '--request-timeout', 'x', '--json'],
    ['FZ905', 'verify', 'document', '--json'],
  ] as const) {
    let out = '';
    const code = await frozen([...args], {
      out: {write: (text: string) => (out += text)},
      err: {write: () => true},
    });
    assert.equal(code, 2);
    const {ok, errors} = JSON.parse(out) as {ok: boolean; errors: {code: string; message: string; fix: string}[]};
    assert.equal(ok, false);
    assert.equal(errors[0]?.code, expected);
    assert.match(errors[0].message, /\.$/);
  }
});

test('the same mistake ends with 2 in every command, and its line has the code', async () => {
  const garbage = join(PROJECT, 'no-such-key');
  for (const [code, ...args] of [
    ['FZ601', 'verify', 'site', 'ftp://x'],
    ['FZ601', 'verify', 'document', join(PROJECT, 'package.json'), '--site', 'ftp://x'],
    ['FZ620', 'verify', 'site', join(PROJECT, 'public'), '--site-key', garbage],
    ['FZ902', 'buy', 'https://a.example', '--site-key', garbage],
    ['FZ902', 'demo', '--product', 'none'],
    ['FZ902', 'start', '--ledger-url', 'mysql://x'],
    ['FZ902', 'sales', '--ledger-url', 'mysql://x'],
    ['FZ902', 'refund', 'xyz'],
    ['FZ508', 'sales', '--worker', 'https://a.example'],
    ['FZ508', 'refund', `0x${'12'.repeat(32)}`, '--worker', 'https://a.example'],
    ['FZ905', 'buy'],
    ['FZ905', 'init'],
    ['FZ905', 'nothing'],
    ['FZ905', 'help', 'nothing'],
  ] as const) {
    const {code: exit, text} = await printed(...args);
    assert.equal(exit, 2, args.join(' '));
    assert.match(text, new RegExp(`\\. \\[${code}\\]\\n${code}: [A-Z].*\\.\\n$`), args.join(' '));
  }
});

test('every environment variable that the source reads is documented', async () => {
  const known = new Set(variablesOf(commands).flatMap(([, variables]) => variables.map(({name}) => name)));
  const files = await glob('{scripts,buyer,paywall,shared}/**/*.ts', {
    cwd: PROJECT,
    absolute: true,
    ignore: ['**/package/**'],
  });
  // npm and the Worker set these. AWS and its library have other variables, and settings of git are passed on.
  const foreign = /^(AWS_|GIT_CONFIG_COUNT$|PRIVATE_KEY$|INIT_CWD$|LEDGER$)/;
  for (const file of files) {
    const source = await readFile(file, 'utf8');
    for (const [, name = ''] of source.matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]{2,})\b/g))
      assert.ok(known.has(name) || foreign.test(name), `${name} in ${file}`);
  }
  const {text} = await printed('help', 'environment');
  for (const name of known) assert.match(text, new RegExp(`^${name} `, 'm'));
});

test('an option has the same value and variable in every command, and --json, --root and key files the same description', () => {
  const seen = new Map<string, string>();
  for (const command of commands)
    for (const {flags, long = '', envVar, description} of command.options) {
      const isWordedAlike = long === '--json' || long === '--root' || long.endsWith('-file');
      // Hosts set these, and only the gate reads them.
      const variable = nameOf(command) === 'start' ? envVar?.replace(/^(PORT|HOST)$/, '') : envVar;
      const said = `${flags} ${variable ?? ''} ${isWordedAlike ? description : ''}`;
      assert.equal(said, seen.get(long) ?? said, `${long} of ${nameOf(command)}`);
      seen.set(long, said);
      assert.doesNotMatch(flags, /<(s|dir|path|moment)>/);
      assert.match(variable || 'FROZEN_', /^FROZEN_/, long);
    }
  assert.ok(seen.size > 60, String(seen.size));
});

test('shells complete commands and options', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [FROZEN, 'complete', ...args], {encoding: 'utf8'});
  assert.match(run('--', 'deploy', 's3', '--buc').stdout, /^--bucket\t/m);
  assert.match(run('--', 'rev').stdout, /^review\t/m);
  // After a space, the word to complete is empty.
  const names = run('--', '')
    .stdout.trim()
    .split('\n')
    .map(line => line.split('\t', 1)[0] ?? '');
  assert.deepEqual(names, [...program.commands.map(command => command.name()), ':4']);
  assert.match(run('--', 'verify', '').stdout, /^site\t[^]*^receipt\t/m);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const {status, stdout} = run(shell);
    assert.equal(status, 0, shell);
    assert.match(stdout, /frozen complete/, shell);
    if (shell === 'bash') assert.equal(spawnSync('bash', ['-n'], {input: stdout}).status, 0);
  }
  assert.equal(run('tcsh').status, 2);
});
