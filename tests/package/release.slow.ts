import assert from 'node:assert/strict';
import {copyFile, mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {parse} from 'yaml';
import {$} from 'zx';
import tool from '../../package.json' with {type: 'json'};
import {PROJECT} from '../project.ts';

interface Workflow {
  readonly jobs: {readonly publish: {readonly steps: readonly {run?: string; env?: Record<string, string>}[]}};
}

test('a release writes the addresses of its repository into package.json', async t => {
  const {jobs} = parse(await readFile(join(PROJECT, '.github/workflows/release.yml'), 'utf8')) as Workflow;
  const step = jobs.publish.steps.find(({run}) => run?.startsWith('npm pkg set '));
  assert.deepEqual(step?.env, {ADDRESS: '${{ github.server_url }}/${{ github.repository }}'});
  const folder = await mkdtemp(join(tmpdir(), 'release-'));
  t.after(() => rm(folder, {recursive: true}));
  await copyFile(join(PROJECT, 'package.json'), join(folder, 'package.json'));
  const address = 'https://github.com/owner/name';
  await $({cwd: folder, env: {...process.env, ADDRESS: address}})`sh -ec ${step.run}`;
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')), {
    ...tool,
    repository: {type: 'git', url: `git+${address}.git`},
    bugs: {url: `${address}/issues`},
    homepage: `${address}#readme`,
  });
});
