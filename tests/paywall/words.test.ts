import assert from 'node:assert/strict';
import {test} from 'node:test';
import {stackOf, wordsOf} from '../../paywall/payments/words.ts';
import {nodeAt} from '../../paywall/settler/node.ts';

test('an error of a node that is out of reach is printed without the key in its address', async () => {
  const error = await nodeAt('http://127.0.0.1:1/v2/SECRET?key=SECRET')
    .getBlockNumber()
    .then(
      () => assert.fail(),
      (cause: unknown) => cause as Error,
    );
  const wrapped = new Error('The chain cannot be read', {cause: error});
  assert.match(error.stack ?? '', /SECRET/, 'the whole of it shows the key');
  for (const words of [stackOf(error), stackOf(wrapped), wordsOf(wrapped)]) {
    assert.doesNotMatch(words, /SECRET/);
    assert.match(words, /HTTP request failed/);
  }
  assert.match(stackOf(error), /\n +at /);
});
