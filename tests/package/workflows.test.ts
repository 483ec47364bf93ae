import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import glob from 'fast-glob';
import {parse} from 'yaml';
import tool from '../../package.json' with {type: 'json'};
import {packageOf} from '../../scripts/init/files.ts';
import {PROJECT} from '../project.ts';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: {readonly matrix: Readonly<Record<string, readonly string[]>>};
  readonly steps: readonly {readonly run?: string}[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

function workflowsIn(folder: string): Workflow[] {
  return glob
    .sync(`${folder}/*.yml`, {cwd: PROJECT, dot: true})
    .map(path => parse(readFileSync(join(PROJECT, path), 'utf8')) as Workflow);
}

/** Returns the names of the npm scripts that some commands run. */
function scriptsIn(commands: string): string[] {
  return [...commands.matchAll(/\bnpm (?:run (?:--silent |-s )?([\w:-]+)|(test))\b/g)].map(
    ([, run, alias]) => run ?? alias ?? '',
  );
}

for (const [folder, scripts] of [
  ['.github/workflows', tool.scripts],
  ['scripts/init/template/github/workflows', packageOf('my-site', '0.0.0').scripts],
] as const)
  test(`every npm script that ${folder} runs exists, and no workflow runs npx`, () => {
    const runs = workflowsIn(folder).flatMap(({jobs}) =>
      Object.values(jobs).flatMap(({steps}) => steps.flatMap(({run}) => run ?? [])),
    );
    const called = runs.flatMap(scriptsIn);
    assert.notEqual(called.length, 0);
    for (const name of called) assert.ok(name in scripts, name);
    for (const run of runs) assert.doesNotMatch(run, /\bnpx\b/);
  });

test('npx in the docs only runs installed packages, and never downloads one', () => {
  const pages = ['README.md', ...glob.sync('docs/**/*.md', {cwd: PROJECT})];
  const runs = pages.flatMap(page =>
    [...readFileSync(join(PROJECT, page), 'utf8').matchAll(/\bnpx .*/g)].map(([run]) => run),
  );
  assert.notEqual(runs.length, 0);
  for (const run of runs) assert.match(run, /^npx --no-install /);
});

test('CI runs on three systems and on Node 20.19, 22 and 24', () => {
  const ci = readFileSync(join(PROJECT, '.github/workflows/ci.yml'), 'utf8');
  const {jobs} = parse(ci) as Workflow;
  const {os, node} = jobs['portable']?.strategy?.matrix ?? {};
  assert.deepEqual(os, ['macos-latest', 'windows-latest']);
  assert.deepEqual(node, ['20.19', '22', '24']);
  assert.deepEqual(jobs['fast']?.strategy?.matrix['node'], ['22', '24']);
  assert.match(ci, /node-version: '20\.19'/);
});

test('only a version tag publishes, with provenance and without a token, after the checks', () => {
  const text = readFileSync(join(PROJECT, '.github/workflows/release.yml'), 'utf8');
  const {on, jobs} = parse(text) as Workflow;
  assert.deepEqual(on, {push: {tags: ['v*']}});
  assert.deepEqual(jobs['publish']?.permissions, {contents: 'read', 'id-token': 'write'});
  assert.doesNotMatch(text, /secrets\./);
  const commands = jobs['publish'].steps.flatMap(({run}) => run ?? []);
  assert.match(commands[0] ?? '', /^node scripts\/package\/check-release\.js /);
  assert.equal(commands.at(-1), 'npm publish --provenance --access public');
  for (const check of ['npm ci', 'npm run lint', 'npm test']) assert.ok(commands.includes(check), check);
});
