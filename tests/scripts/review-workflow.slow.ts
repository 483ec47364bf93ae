import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {chmod, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {test} from 'node:test';
import glob from 'fast-glob';
import {parse} from 'yaml';
import {MARKER} from '../../scripts/review/markdown.ts';
import {PROJECT} from '../project.ts';

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, {readonly permissions?: object; readonly steps: readonly Step[]}>>;
}

const OURS = '.github/workflows';
/** The workflows of `frozen init`. */
const TEMPLATES = 'scripts/init/template/github/workflows';

const review = await workflow(`${OURS}/review.yml`);

async function workflow(path: string): Promise<Workflow> {
  return parse(await textOf(path)) as Workflow;
}

function textOf(path: string): Promise<string> {
  return readFile(join(PROJECT, path), 'utf8');
}

test('no script of a workflow contains an expression, and every action is pinned by digest, with its version in a comment', async () => {
  const paths = await glob([`${OURS}/*.yml`, `${TEMPLATES}/*.yml`], {cwd: PROJECT});
  assert.equal(paths.length, 6);
  for (const path of paths) {
    const {jobs} = await workflow(path);
    for (const {run = '', uses} of Object.values(jobs).flatMap(({steps}) => steps)) {
      assert.equal(run.includes('${{'), false, run);
      if (uses !== undefined) assert.match(uses, /^actions\/[a-z-]+@[0-9a-f]{40}$/);
    }
    for (const [line] of (await textOf(path)).matchAll(/^.*\buses:.*$/gm)) assert.match(line, / # v\d+\.\d+\.\d+$/);
  }
});

test('the review workflow of a new site is that of this project', async () => {
  assert.equal(await textOf(`${TEMPLATES}/review.yml`), await textOf(`${OURS}/review.yml`));
});

test('the job that runs code has only read access, and the job with write access runs no code', () => {
  const {review: reading, comment} = review.jobs;
  const steps = comment?.steps ?? [];
  assert.deepEqual(Object.keys(review.on), ['pull_request']);
  assert.deepEqual(review.permissions, {});
  assert.deepEqual(reading?.permissions, {contents: 'read'});
  assert.deepEqual(comment?.permissions, {'pull-requests': 'write'});
  assert.equal(
    steps.some(({run = '', uses = ''}) => /npm|node/.test(run) || uses.includes('checkout')),
    false,
  );
});

/** Runs the script that posts, with a `gh` that records its arguments and returns these comments. */
async function post(markdown: string, listed: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'review-'));
  try {
    await writeFile(
      join(folder, 'gh'),
      `#!/bin/sh\necho "$*" >> calls\ncase "$*" in *--paginate*) printf '${listed}';; esac\n`,
    );
    await chmod(join(folder, 'gh'), 0o755);
    await writeFile(join(folder, 'review.md'), markdown);
    const script = review.jobs['comment']?.steps.at(-1)?.run ?? '';
    const env = {PATH: folder + delimiter + (process.env['PATH'] ?? ''), REPOSITORY: 'me/site', NUMBER: '7'};
    const {status, stderr} = spawnSync('bash', ['-e', '-c', script], {cwd: folder, env, encoding: 'utf8'});
    assert.equal(status, 0, stderr);
    return (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n').slice(1);
  } finally {
    await rm(folder, {recursive: true});
  }
}

test('the first comment is created and later replaced, and no comment is created without a change', async () => {
  const changed = `${MARKER}\n\n2 warnings.\n`;
  const same = `${MARKER}\n\nBuyers see no change.\n`;
  assert.deepEqual(await post(changed, ''), [
    'api --method POST repos/me/site/issues/7/comments --field body=@review.md',
  ]);
  assert.deepEqual(await post(same, '12\\n34\\n'), [
    'api --method PATCH repos/me/site/issues/comments/12 --field body=@review.md',
  ]);
  assert.deepEqual(await post(same, ''), []);
});
