import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import tool from '../../package.json' with {type: 'json'};
import {PROJECT} from '../project.ts';

// Checks for problems of a clone on Windows or macOS that can be found on any system.

const paths = execFileSync('git', ['ls-files', '-z'], {cwd: PROJECT, encoding: 'utf8'}).split('\0').filter(Boolean);

test('no two paths differ only in case or in Unicode form', () => {
  const known = new Map<string, string>();
  for (const path of paths) {
    const key = path.normalize('NFC').toLowerCase();
    assert.equal(known.get(key), undefined, `${path} and ${known.get(key)}`);
    known.set(key, path);
  }
});

test('every path is allowed on Windows, and is well below its limit of 260 characters', () => {
  for (const path of paths) {
    assert.ok(path.length <= 180, path);
    for (const name of path.split('/')) {
      assert.doesNotMatch(name, /[<>:"\\|?*\u0000-\u001f]|[. ]$/, path);
      assert.doesNotMatch(name, /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i, path);
    }
  }
});

test('git converts no line ends, and no source has a carriage return', () => {
  assert.match(readFileSync(join(PROJECT, '.gitattributes'), 'utf8'), /^\* -text$/m);
  for (const path of paths.filter(name => /\.(?:ts|js|json|md|ya?ml|css|html)$/.test(name)))
    assert.equal(readFileSync(join(PROJECT, path), 'utf8').includes('\r'), false, path);
});

test('npm scripts also run in cmd.exe', () => {
  for (const [name, script] of Object.entries(tool.scripts)) {
    assert.doesNotMatch(script, /'|`|\$|;|\||>|<|\bulimit\b|\bexec\b|\brm\b|\bcp\b|\bmkdir\b/, name);
    // A variable before a command, a program by its path, and a pattern that a shell would have to expand.
    assert.doesNotMatch(script, /(?:^|&& *)(?:\w+=|\.?\/)/, name);
    assert.doesNotMatch(script.replaceAll(/"[^"]*"/g, ''), /[*{}]/, name);
  }
});

interface Locked {
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

for (const lock of ['package-lock.json', 'tests/extra/package-lock.json'])
  test(`${lock} has the programs of all systems, with their digests`, () => {
    const {packages} = JSON.parse(readFileSync(join(PROJECT, lock), 'utf8')) as {packages: Record<string, Locked>};
    let systems = 0;
    for (const [path, {integrity, optionalDependencies = {}}] of Object.entries(packages)) {
      if (path !== '') assert.match(integrity ?? '', /^sha512-/, path);
      for (const name of Object.keys(optionalDependencies)) {
        const found = packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
        assert.ok(found, `${name}, which ${path} needs on some system`);
        if (found.os !== undefined) systems++;
      }
    }
    assert.notEqual(systems, 0);
  });
