import assert from 'node:assert/strict';
import {test} from 'node:test';
import {sourceNameHint} from '../../shared/source-name.ts';
import {denySite} from '../build/site-fixture.ts';
import {runScript} from './script-run.ts';

for (const [given, suggested] of [
  ['deny_list', 'deny-list'],
  ['Deny List', 'deny-list'],
  ['DenyList', 'deny-list'],
  ['-deny-list', 'deny-list'],
  ['Länder & Städte', 'laender-and-staedte'],
  ['deny_list.csv', 'deny-list'],
  ['lists/deny_list.json.gz', 'deny-list'],
  ['./data/sources/deny-list/2026-05-01', 'deny-list'],
  ['data\\sources\\Deny_List', 'deny-list'],
  ['../x', 'x'],
] as const)
  test(`suggests ${suggested} for ${given}`, () => {
    assert.equal(sourceNameHint(given), `; did you mean ${suggested}?`);
  });

for (const given of ['', '..', '_', '列表', 'CON'])
  test(`suggests nothing for "${given}"`, () => {
    assert.equal(sourceNameHint(given), '');
  });

test('frozen freeze and frozen witness suggest a valid name for a source', async () => {
  await using site = await denySite();
  await site.write('list.csv', 'id\n1\n');
  const freeze = await runScript('freeze', ['deny_list', `${site.root}/list.csv`, '--root', site.root]);
  assert.equal(freeze.code, 2);
  assert.match(freeze.err, /^source "deny_list" cannot be a name: .*; did you mean deny-list\?$/m);
  const witness = await runScript('witness', ['deny_list', '--root', site.root, '--tsa', 'http://127.0.0.1:9']);
  assert.equal(witness.code, 2);
  assert.match(witness.err, /^source "deny_list" is not the name of a source, .*; did you mean deny-list\?$/m);
});
