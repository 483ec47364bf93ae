import assert from 'node:assert/strict';
import {test} from 'node:test';
import {frozen} from '../../scripts/program.ts';
import {denySite} from '../build/site-fixture.ts';
import {jsonErrors} from '../json-errors.ts';

/** No server listens here. */
const SITE = 'http://127.0.0.1:1';
const LIST = 'https://127.0.0.1:1/list.csv';
const HTTP = 'http://snapshots.example';

for (const [args, place] of [
  [['freeze', 'deny-list', `${LIST}?key=secret`], {url: LIST}],
  [['freeze', 'deny-list', `${HTTP}/list.csv`], {url: `${HTTP}/list.csv`}],
  [['freeze', 'deny-list', 'missing.csv'], {file: 'missing.csv'}],
  [['freeze', 'deny-list', '-'], {}],
  [['buy', SITE], {url: `${SITE}/api/v1/index.json`}],
  [['buy', HTTP], {url: HTTP}],
  [['buy', 'snapshots.example'], {}],
  [['verify', 'site', SITE], {url: SITE}],
  [['verify', 'site', `${SITE}/api`], {url: `${SITE}/api`}],
  [['verify', 'site', 'missing'], {file: 'missing'}],
  [['verify', 'document', LIST], {url: LIST}],
  [['verify', 'document', 'missing.json'], {file: 'missing.json'}],
] as const)
  test(`--json prints the place of an error as file or url: ${args.join(' ')}`, async () => {
    await using site = await denySite();
    const root = args[0] === 'freeze' ? ['--root', site.root] : [];
    const {code, out} = await run(...args, ...root, '--json');
    assert.notEqual(code, 0);
    const [error] = jsonErrors(out);
    const {file, url} = {file: undefined, url: undefined, ...error};
    assert.deepEqual({file, url}, {file: undefined, url: undefined, ...place});
  });

async function run(...args: readonly string[]) {
  const text = {out: '', err: ''};
  const streamTo = (name: 'out' | 'err') => ({write: (chunk: string) => (text[name] += chunk)});
  const code = await frozen(args, {out: streamTo('out'), err: streamTo('err')});
  return {code, ...text};
}
