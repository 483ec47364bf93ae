import assert from 'node:assert/strict';
import {test} from 'node:test';
import {meter} from '../../scripts/terminal/meter.ts';
import {freezeFixture} from './freeze-fixture.ts';
import {noTerminal, onTerminal} from './terminal.ts';

const MIB = 1 << 20;

test('the line shows bytes and their rate, and the percentage if the total is known', () => {
  let shown = '';
  const line = {
    show(text: () => string) {
      shown = text();
    },
  };
  meter(line, 'deny.csv', 100 * MIB)(25 * MIB);
  assert.match(shown, /^deny\.csv {2}25 % {2}25 MiB of 100 MiB {2}[\d.]+ \w+\/s$/);
  meter(line, 'deny.csv.gz')(3 * MIB);
  assert.match(shown, /^deny\.csv\.gz {2}3 MiB {2}[\d.]+ \w+\/s$/);
  meter(line, 'checking the rows', MIB)(0);
  assert.match(shown, /^checking the rows {2}0 % {2}0 B of 1 MiB {2}0 B\/s$/);
});

test('a long list shows its progress on a terminal, and nothing in a pipe', {skip: noTerminal}, async () => {
  await using fixture = await freezeFixture();
  const rows = Array.from({length: 1_000_000}, (_, n) => `https://h${n}.example/,dead\n`).join('');
  const path = await fixture.list('deny.csv', `url,class\n${rows}`);
  const {status, shown} = onTerminal('freeze', ['deny-list', path, '--root', fixture.site.root, '--dry-run']);
  assert.equal(status, 0);
  assert.match(shown, /(inferring the schema|checking the rows) {2}\d+ % {2}[\d.]+ \w+ of [\d.]+ MiB {2}[\d.]+ \w+\/s/);
  const piped = await fixture.freeze('deny-list', path, '--dry-run');
  assert.equal(piped.err, '');
  assert.doesNotMatch(piped.out, / % |\u001b/);
});
