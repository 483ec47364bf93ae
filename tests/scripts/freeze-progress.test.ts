import assert from 'node:assert/strict';
import {test} from 'node:test';
import {barLine} from '../../scripts/freeze/progress.ts';
import {freezeFixture} from './freeze-fixture.ts';
import {noTerminal, onTerminal} from './terminal.ts';

const MIB = 1 << 20;

test('the bar tells bytes, rates and rows, as far as they are known', () => {
  assert.equal(
    barLine({label: 'deny.csv', bytes: 25 * MIB, total: 100 * MIB, rows: 500_000, seconds: 2}),
    'deny.csv  [######..................]   25 %  25 MiB of 100 MiB  12.5 MiB/s  250,000 rows/s',
  );
  assert.equal(
    barLine({label: 'deny.csv.gz', bytes: 3 * MIB, total: undefined, rows: undefined, seconds: 1}),
    'deny.csv.gz  3 MiB  3 MiB/s',
  );
  assert.equal(
    barLine({label: 'checking the rows', bytes: 0, total: MIB, rows: undefined, seconds: 0}),
    'checking the rows  [........................]    0 %  0 B of 1 MiB',
  );
});

test('a long list shows a bar on a terminal, and none in a pipe', {skip: noTerminal}, async () => {
  await using fixture = await freezeFixture();
  const rows = Array.from({length: 3_000_000}, (_, n) => `https://h${n}.example/,dead\n`).join('');
  const path = await fixture.list('deny.csv', `url,class\n${rows}`);
  const {status, shown} = onTerminal('freeze', ['deny-list', path, '--root', fixture.site.root, '--dry-run']);
  assert.equal(status, 0);
  assert.match(shown, /\[#*\.*\] +\d+ % {2}[\d.]+ \w+ of [\d.]+ MiB {2}[\d.]+ \w+\/s {2}[\d,]+ rows\/s/);
  const piped = await fixture.freeze('deny-list', path, '--dry-run');
  assert.equal(piped.err, '');
  assert.doesNotMatch(piped.out, /\[#|\u001b/);
});
