import assert from 'node:assert/strict';
import {test} from 'node:test';
import {errorsForPrograms} from '../shared/error-text.ts';
import {all, allNow, InputError, mapAll} from '../shared/fault.ts';
import {located} from '../build/read/json-file.ts';
import {exitCodeOf, newTerminal} from '../scripts/terminal/command.ts';
import {StatusLine} from '../scripts/terminal/status-line.ts';
import type {JsonError} from './json-errors.ts';

const fault = (file: string) => ({code: 'FZ109' as const, file, rule: 'is too large for this machine'});
const limited = new InputError(fault('a'), {more: 2, ofMachine: true});
const plain = new InputError(fault('b'), {more: 1, ofUsage: true});
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
  test(`${name} keeps all flags of the errors that it merges`, async () => {
    await assert.rejects(Promise.resolve().then(rebuild), (error: InputError) => {
      const {faults, ...flags} = error.refusal();
      assert.equal(faults.length, 2);
      assert.deepEqual(flags, {more: 3, final: false, ofMachine: true, ofUsage: true});
      return true;
    });
  });

test('an error with another message than its cause has the flags of the cause', async () => {
  const cause = new InputError(fault('a'), {more: 2, final: true, ofMachine: true, ofUsage: true});
  await assert.rejects(
    located('/', () => Promise.reject(cause)),
    (error: InputError) => {
      assert.notEqual(error, cause);
      assert.deepEqual({...error.refusal(), faults: []}, {...cause.refusal(), faults: []});
      return true;
    },
  );
});

test('allNow stops at a final error', () => {
  const final = new InputError(fault('a'), {final: true});
  assert.throws(() => allNow(fail(final), fail(plain)), final);
});

test('a usage error among others ends the command with exit code 2', async () => {
  const write = () => true;
  const terminal = newTerminal({write}, {write}, new StatusLine(process.stderr));
  const broken = new InputError(fault('a'));
  const codeOf = (...errors: InputError[]) =>
    exitCodeOf(() => mapAll(errors, error => fail(error)()).then(() => 0), terminal);
  assert.deepEqual([await codeOf(broken), await codeOf(broken, plain), await codeOf(plain)], [1, 2, 2]);
});

test('a place is the file or the address that the error was created with, whatever its text is', () => {
  const rule = 'is empty';
  const places = [{file: 'https:/list.csv'}, {url: 'https://a.example/list.csv?key=secret'}, {url: 's3://a/b'}];
  const error = new InputError(places.map(place => ({code: 'FZ126' as const, ...place, line: 2, rule})));
  assert.equal(error.message, 'https:/list.csv:2 is empty\nhttps://a.example/list.csv:2 is empty\ns3://a/b:2 is empty');
  const {errors} = JSON.parse(JSON.stringify(errorsForPrograms(error))) as {errors: JsonError[]};
  assert.deepEqual(
    errors.map(({file, url, message}) => ({file, url, message})),
    [
      {file: 'https:/list.csv', url: undefined, message: 'https:/list.csv is empty.'},
      {file: undefined, url: 'https://a.example/list.csv', message: 'https://a.example/list.csv is empty.'},
      {file: undefined, url: 's3://a/b', message: 's3://a/b is empty.'},
    ],
  );
});

test('a value with more levels than JSON can be written with is not shown', () => {
  const value = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as unknown;
  const error = new InputError({code: 'FZ608', file: 'a', field: 'extra', value: {name: value}, rule: 'is wrong'});
  assert.equal(error.message, 'a: extra "[nested too deeply to be shown]" is wrong');
  assert.ok(JSON.stringify(error.faults).length < 200);
  const shallow = JSON.parse('['.repeat(50) + ']'.repeat(50)) as unknown;
  assert.deepEqual(new InputError({code: 'FZ608', value: shallow, rule: 'is wrong'}).faults[0]?.value, shallow);
});
