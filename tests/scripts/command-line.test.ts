import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {denySite} from '../build/site-fixture.ts';
import {COMMANDS, commandOf} from '../bench/measure/commands.ts';
import {PROJECT} from '../project.ts';
import {runScript} from './script-run.ts';

test('paths are meant from where a command is called', async () => {
  await using site = await denySite();
  // As npm runs it: in the folder of the project, from wherever it was called.
  const [program, ...words] = commandOf('build', '--root', '.');
  const npm = {npm_lifecycle_event: 'build', npm_package_json: undefined, INIT_CWD: site.root};
  const env = {...process.env, ...npm};
  const {status, stdout, stderr} = spawnSync(program, words, {cwd: PROJECT, encoding: 'utf8', env});
  assert.deepEqual([status, stderr], [0, ''], stdout);
  assert.ok(existsSync(join(site.root, 'public/api/v1/samples/softfail3.json')));
});

/** The arguments without which a command is called wrongly. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  freeze: ['list', 'list.csv'],
  deploy: ['github-pages'],
  verify: ['site'],
};

test('a root that is empty or no folder, and a flag that nobody knows, are wrong usage, in the same words', async () => {
  const file = join(PROJECT, 'package.json');
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['--root=', /^error: option '--root <folder>' argument '' is invalid\. It is not a folder\.\nTry --help\.\n$/],
    [`--root=${file}/below`, / is invalid\. It is not a folder\.\nTry --help\.\n$/],
    ['--bogus', /^error: unknown option '--bogus'\nTry --help\.\n$/],
  ];
  for (const name of COMMANDS) {
    // It makes the folder that others name with --root.
    if (name === 'init') continue;
    const more = MORE[name] ?? [];
    for (const [flag, says] of wrong) {
      const {code, out, err} = await runScript(name, [...more, flag]);
      assert.match(err, says, name);
      assert.deepEqual([code, out], [2, ''], `${name} ${flag}`);
    }
  }
});
