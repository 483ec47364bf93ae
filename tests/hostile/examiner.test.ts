import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {Examiner} from '../../buyer/verify/examiner.ts';

test(
  'the process that reads untrusted documents gets no environment variables',
  {skip: process.platform !== 'linux' && 'reads /proc'},
  async t => {
    process.env['FROZEN_BUYER_KEY'] = 'a secret';
    t.after(() => delete process.env['FROZEN_BUYER_KEY']);
    await using examiner = new Examiner(new AbortController().signal);
    const bytes = Buffer.from('{}');
    const {checks} = await examiner.examine({type: 'document', subject: 'document', bytes, schema: bytes});
    assert.deepEqual(
      checks.filter(({what}) => what === 'effort'),
      [],
    );
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1');
    const environments = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map(pid => readFile(`/proc/${pid}/environ`, 'latin1')),
    );
    const mine = environments.filter(text => text.includes('NODE_CHANNEL_FD'));
    assert.equal(mine.length, 1);
    const names = mine.flatMap(text => text.split('\0').filter(Boolean)).map(entry => entry.split('=')[0]);
    assert.deepEqual(
      names.filter(name => !name?.startsWith('NODE_CHANNEL_')),
      [],
    );
  },
);

test('a check that takes too long ends, even if garbage is collected meanwhile', async t => {
  t.mock.timers.enable({apis: ['setTimeout']});
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await using examiner = new Examiner(new AbortController().signal);
  const schema = Buffer.from(JSON.stringify({properties: {text: {pattern: '^(a+)+$'}}}));
  const bytes = Buffer.from(JSON.stringify({text: `${'a'.repeat(60)}!`}));
  const examined = examiner.examine({type: 'document', subject: 'document', bytes, schema});
  await Promise.resolve(); // the time limit starts when earlier examinations have ended
  collect();
  t.mock.timers.tick(60_000);
  assert.match((await examined).checks[0]?.detail ?? '', /takes more than 60 s, more than a valid document needs/);
});

test('examinations that are started at the same time get their own results', async () => {
  await using examiner = new Examiner(new AbortController().signal);
  const [names, as_of] = [['one', 'two', 'three'], '2026-05-01'];
  const examined = await Promise.all(
    names.map(name =>
      examiner.examine({type: 'identity', subject: name, bytes: Buffer.from(JSON.stringify({name, as_of}))}),
    ),
  );
  assert.deepEqual(
    examined.map(({identity}) => identity?.name),
    names,
  );
});

test('an examination that ends its process does not end the examinations that wait for it', async t => {
  t.mock.timers.enable({apis: ['setTimeout']});
  await using examiner = new Examiner(new AbortController().signal);
  const schema = Buffer.from(JSON.stringify({properties: {text: {pattern: '^(a+)+$'}}}));
  const bytes = Buffer.from(JSON.stringify({text: `${'a'.repeat(60)}!`}));
  const endless = examiner.examine({type: 'document', subject: 'endless', bytes, schema});
  const waiting = examiner.examine({
    type: 'identity',
    subject: 'waiting',
    bytes: Buffer.from('{"name": "waiting", "as_of": "2026-05-01"}'),
  });
  await Promise.resolve();
  t.mock.timers.tick(60_000);
  assert.match((await endless).checks[0]?.detail ?? '', /takes more than 60 s/);
  assert.equal((await waiting).identity?.name, 'waiting');
});

test('a schema neither replaces another one nor is known to it', async () => {
  await using examiner = new Examiner(new AbortController().signal);
  const $id = 'https://snapshots.example/api/v1/schemas/shares.json';
  const verdictOf = async (schema: object) => {
    const task = {type: 'document', subject: 'document', bytes: Buffer.from('{}')} as const;
    const {checks} = await examiner.examine({...task, schema: Buffer.from(JSON.stringify(schema))});
    return checks.find(({what}) => what === 'schema')?.detail;
  };
  assert.equal(await verdictOf({$id, $defs: {any: {$id: `${$id}/any`}}}), 'matches its JSON Schema');
  assert.equal(await verdictOf({$id, required: ['rows']}), 'rows is missing');
  assert.match(
    (await verdictOf({$ref: `${$id}/any`})) ?? '',
    /^its JSON Schema cannot be used: can't resolve reference/,
  );
});
