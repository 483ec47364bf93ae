import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import githubPages, {leavesOut} from '../../build/hosts/github-pages.ts';
import {freePaths, three} from './hosted.ts';

describe('GitHub Pages', () => {
  test('lists every paid path as left out, with the reason', () => {
    const text = githubPages.compose(three).files.get('paywall/rules/github-pages.json') ?? '';
    assert.deepEqual(JSON.parse(text), {
      says: 'GitHub Pages cannot ask for payment: the paid documents are left out there and sold only at https://snapshots.example.',
      sold_at: 'https://snapshots.example',
      leave_out: ['/api/v1/webhookbundle', '/api/v1/softfail3', '/api/v1/firstlastsame'],
    });
  });

  test('reports how many documents are not published', () => {
    assert.deepEqual(githubPages.compose(three).notes, [
      'GitHub Pages cannot ask for payment: deployments to it leave out 3 paid documents',
    ]);
  });

  test('warns if the address of the site is at github.io, where nothing is sold', () => {
    const site = {...three.site, base_url: 'https://publisher.github.io'};
    const {notes} = githubPages.compose({...three, site});
    assert.match(notes.join('\n'), /publisher\.github\.io is GitHub Pages, where nothing is sold/);
  });

  test('leaves out every paid path', () => {
    for (const {path} of three.rules) assert.ok(leavesOut(path, three.rules), path);
  });

  test('leaves out a path that looks paid and has no rule', () => {
    for (const {path} of three.rules) assert.ok(leavesOut(path, []), path);
  });

  test('publishes every free path', () => {
    for (const path of freePaths(three)) assert.ok(!leavesOut(path, three.rules), path);
  });
});
