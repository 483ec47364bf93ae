import assert from 'node:assert/strict';
import {test} from 'node:test';
import {all, allNow, InputError, mapAll} from '../shared/fault.ts';
import {located} from '../build/read/json-file.ts';

const fault = (file: string) => ({file, rule: 'is too large for this machine'});
const limited = new InputError(fault('a'), {more: 2, ofMachine: true});
const plain = new InputError(fault('b'), {more: 1});
const fail = (error: Error) => () => {
  throw error;
};

const WAYS: readonly [name: string, rebuild: () => unknown][] = [
  [
    'all',
    () =>
      all(
        () => Promise.resolve(1),
        () => Promise.reject(limited),
        () => Promise.reject(plain),
      ),
  ],
  ['allNow', () => allNow(fail(plain), fail(limited))],
  ['mapAll', () => mapAll([plain, limited], error => fail(error)())],
  [
    'nested all',
    () =>
      all(
        () => all(() => Promise.reject(limited)),
        () => Promise.reject(plain),
      ),
  ],
];

for (const [name, rebuild] of WAYS)
  test(`${name} keeps that a fault is of the machine, and how many more there are`, async () => {
    await assert.rejects(Promise.resolve().then(rebuild), (error: InputError) => {
      assert.deepEqual([error.faults.length, error.more, error.ofMachine, error.final], [2, 3, true, false]);
      return true;
    });
  });

test('an error with other words for its cause has the flags of the cause', async () => {
  const cause = new InputError(fault('a'), {more: 2, final: true, ofMachine: true});
  await assert.rejects(
    located('/', () => Promise.reject(cause)),
    (error: InputError) => {
      assert.notEqual(error, cause);
      assert.deepEqual([error.more, error.final, error.ofMachine], [2, true, true]);
      return true;
    },
  );
});

test('allNow stops at a final error', () => {
  const final = new InputError(fault('a'), {final: true});
  assert.throws(() => allNow(fail(final), fail(plain)), final);
});
