import assert from 'node:assert/strict';
import {EventEmitter, once} from 'node:events';
import {test} from 'node:test';
import {waiting} from '../../scripts/terminal/meter.ts';

test('the status line shows every second for how long a server is waited for, and then ends', async t => {
  t.mock.timers.enable({apis: ['setInterval', 'Date']});
  t.mock.method(performance, 'now', Date.now);
  const shown: string[] = [];
  const line = {
    show: (text: () => string) => shown.push(text()),
    end: () => shown.push('end'),
  };
  const work = new EventEmitter();
  const waited = waiting(
    line,
    'https://a.example',
    once(work, 'end').then(() => 7),
  );
  t.mock.timers.tick(1000);
  t.mock.timers.tick(1000);
  work.emit('end');
  assert.equal(await waited, 7);
  assert.deepEqual(shown, ['waiting for https://a.example  1 s', 'waiting for https://a.example  2 s', 'end']);
});
