import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import glob from 'fast-glob';
import {PAGES_WITH_INSTALL, withInstall} from '../../scripts/package/install-docs.ts';
import {releaseFaults, releaseNotes} from '../../scripts/package/release-faults.js';
import {PROJECT} from '../project.ts';

const tool = {version: '1.2.3'};
const changelog =
  '# Changelog\n\n## 1.2.3, 2026-12-01\n\nNew.\n\n### Tool\n\n- More.\n\n## 1.2.2, 2026-11-01\n\nOld.\n';
const release = {tag: 'v1.2.3', tool, changelog};

test('a complete release has no fault, and its notes are its section of the changelog', () => {
  assert.deepEqual(releaseFaults(release), []);
  assert.equal(releaseNotes(changelog, '1.2.3'), 'New.\n\n### Tool\n\n- More.');
});

for (const [change, fault] of [
  [{tag: 'v1.2.4'}, /^The tag v1\.2\.4 is not v1\.2\.3/],
  [{tag: '1.2.3'}, /^The tag 1\.2\.3 is not/],
  [{changelog: changelog.replace(', 2026-12-01', ', not released yet')}, /^CHANGELOG\.md does not have a section/],
  [{changelog: changelog.replace('1.2.3', '1x2.3')}, /^CHANGELOG\.md does not have a section/],
  [{tool: {...tool, private: true}}, /"private": true/],
] as const)
  test(`refuses a release: ${fault.source}, with ${JSON.stringify(change).slice(0, 60)}`, () => {
    const faults = releaseFaults({...release, ...change});
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] ?? '', fault);
  });

test('the instructions to install the command fit the state of the package', () => {
  for (const path of PAGES_WITH_INSTALL) {
    const page = readFileSync(join(PROJECT, path), 'utf8');
    assert.equal(withInstall(page), page, `${path}: run npm run cli-docs`);
    assert.match(withInstall(page, false), /npm pack\nnpm install --global \.\/frozen-snapshots-[\d.]+\.tgz\n/);
    assert.match(withInstall(page, true), /npm install --global frozen-snapshots\n/);
  }
});

test('no page says elsewhere that the package is not published, and none fetches it with npx', () => {
  for (const path of glob.sync(['*.md', 'docs/**/*.md', 'scripts/init/template/**'], {cwd: PROJECT, dot: true})) {
    const text = readFileSync(join(PROJECT, path), 'utf8');
    const rest = PAGES_WITH_INSTALL.includes(path) ? withInstall(text, true) : text;
    assert.doesNotMatch(rest, /not published on npm|not on npm yet/i, path);
    assert.doesNotMatch(text, /\bnpx (?:--?\w+ )*frozen\b/, path);
  }
});
