import assert from 'node:assert/strict';
import {test} from 'node:test';
import {frozen} from '../../scripts/program.ts';

/** The help of a command, as a terminal of 100 columns shows it. */
async function helpOf(...command: readonly string[]): Promise<string> {
  let text = '';
  const out = {write: (chunk: string) => (text += chunk)} as unknown as NodeJS.WriteStream;
  assert.equal(await frozen([...command, '--help'], {out, err: out}), 0);
  return text;
}

/** The names below `Commands:`. */
function subcommandsOf(help: string): string[] {
  const [, listed = ''] = /\nCommands:\n((?: {2}.*\n)+)/.exec(help) ?? [];
  return [...listed.matchAll(/^ {2}([a-z0-9-]+)/gm)].flatMap(([, name = '']) => (name === 'help' ? [] : name));
}

test('the help of every command has an example and its exit codes, and no default that says nothing', async () => {
  const commands = subcommandsOf(await helpOf()).map(name => [name]);
  for (const command of commands) {
    const help = await helpOf(...command);
    commands.push(...subcommandsOf(help).map(name => [...command, name]));
    assert.match(help, /\nExit codes: 0 /, command.join(' '));
    assert.match(help, new RegExp(`\\nExamples?:\\s+frozen ${command.join(' ')} `), command.join(' '));
    assert.doesNotMatch(help, /default: (\[\]|none|undefined)/, command.join(' '));
  }
  assert.ok(commands.length > 20, String(commands.length));
});
