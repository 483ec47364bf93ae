import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import tool from '../package.json' with {type: 'json'};
import extra from './extra/package.json' with {type: 'json'};
import {PROJECT} from './project.ts';

interface Lock {
  readonly packages: Readonly<Record<string, {version?: string; dependencies?: object; devDependencies?: object}>>;
}

test('no direct dependency is installed in two major versions', () => {
  const {packages} = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as Lock;
  const named = Object.keys({...packages['']?.dependencies, ...packages['']?.devDependencies});
  assert.notEqual(named.length, 0);
  for (const name of named) {
    const versions = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
    const majors = new Set(versions.map(([, {version}]) => version?.split('.')[0]));
    assert.equal(majors.size, 1, `${name}: ${[...majors].join(', ')}`);
  }
});

test('tests use the version of wrangler that users are asked to install', () => {
  assert.equal(extra.dependencies.wrangler, tool.peerDependencies.wrangler);
});
