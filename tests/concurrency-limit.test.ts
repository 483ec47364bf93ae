import assert from 'node:assert/strict';
import {test} from 'node:test';
import {install} from '@sinonjs/fake-timers';
import {ConcurrencyLimit} from '../shared/concurrency-limit.ts';

test('work that the host stopped is not counted any longer after some time', () => {
  const clock = install({toFake: ['performance']});
  try {
    const limit = new ConcurrencyLimit<'client'>({total: 9, client: 1}, 1_000);
    const first = limit.enter({client: 'one'});
    clock.tick(1_000);
    assert.equal(limit.enter({client: 'one'}), undefined);
    clock.tick(1);
    const second = limit.enter({client: 'one'});
    assert.ok(first && second);
    // It was slow and not stopped.
    first();
    assert.equal(limit.enter({client: 'one'}), undefined);
    second();
    assert.ok(limit.enter({client: 'one'}));
  } finally {
    clock.uninstall();
  }
});
