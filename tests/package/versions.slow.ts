import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {describe, test} from 'node:test';
import glob from 'fast-glob';
import {$} from 'zx';
import {fileOfPackage} from '../extra/extra.ts';
import extra from '../extra/package.json' with {type: 'json'};
import {PROJECT} from '../project.ts';

// The workflow of GitHub runs all fast tests on these versions, and the portable ones on other systems.

/** A long message would be lost too, for the same reason. */
const [MOST_SHOWN, MOST_CHARACTERS] = [10, 100];

describe('the fast tests that start no other program pass', {concurrency: true}, () => {
  for (const name of Object.keys(extra.optionalDependencies)) {
    const node = fileOfPackage(`${name}/bin/node`);
    test(`on the Node of ${name}`, {skip: !existsSync(node)}, async () => {
      // `npm run test:all` compiles them.
      const files = await glob('dist/tests/portable/*.js', {cwd: PROJECT});
      assert.notEqual(files.length, 0);
      const flags = ['--test', '--test-force-exit', '--test-concurrency=2', '--test-reporter=spec'];
      // The tests of a run inside another one would not run.
      const env = {...process.env, NODE_TEST_CONTEXT: undefined};
      const {exitCode, stdout} = await $({cwd: PROJECT, env, quiet: true, nothrow: true})`${node} ${flags} ${files}`;
      // With --test-force-exit, Node may exit before it has printed the summary and the failed tests, so their lines are counted.
      const lines = stdout.split('\n').map(line => line.trim());
      const failed = lines.filter(line => line.startsWith('✖')).slice(0, MOST_SHOWN);
      assert.equal(exitCode, 0, failed.map(line => line.slice(0, MOST_CHARACTERS)).join('\n'));
      assert.ok(lines.filter(line => line.startsWith('✔')).length > 1000);
    });
  }
});
