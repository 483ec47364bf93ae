import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import {after, before, describe, test} from 'node:test';
import {findGit} from '../../scripts/programs/git.ts';
import {leashed} from '../../scripts/local-chain/chain.ts';
import {findCommand, programEnv} from '../../scripts/programs/command.ts';
import {openRepository} from '../../scripts/review/revision.ts';
import {gitSite} from '../scripts/git-site.ts';

/** Secrets of the project, and one that is unknown to it. */
const SECRETS = [
  'FROZEN_BUYER_KEY',
  'FROZEN_PAYEE_KEY',
  'FROZEN_WITNESS_KEY',
  'FROZEN_SETTLER_KEY',
  'FROZEN_SIGNING_KEY',
  'FROZEN_SALES_TOKEN',
  'FROZEN_REFUNDS_TOKEN',
  'FROZEN_LEDGER_URL',
  'MY_TOKEN',
];
const SECRET = 'never passed on';

describe('no secret in the environment is passed', () => {
  const own = process.env;
  before(() => {
    process.env = {...own, ...Object.fromEntries(SECRETS.map(name => [name, SECRET])), GIT_AUTHOR_NAME: 'An Author'};
  });
  after(() => {
    process.env = own;
  });

  test('to git, which gets its own settings', async () => {
    await using site = await gitSite();
    const git = await findGit(site.root);
    const seen = await git.run('-c', 'alias.environment=!env', 'environment');
    assert.doesNotMatch(seen, new RegExp(SECRET));
    assert.match(seen, /^GIT_AUTHOR_NAME=An Author$/m);
    assert.match(seen, /^GIT_TERMINAL_PROMPT=0$/m);
    assert.match(seen, /^HOME=/m);
  });

  test(
    'to the git that reads the objects of a review',
    {skip: process.platform !== 'linux' && 'reads /proc'},
    async () => {
      await using site = await gitSite();
      const others = await children();
      using repository = await openRepository(site.root);
      assert.equal(repository.prefix, '');
      const [pid, ...more] = (await children()).filter(child => !others.includes(child));
      assert.ok(pid !== undefined && more.length === 0);
      const seen = await readFile(`/proc/${pid}/environ`, 'latin1');
      assert.match(seen, /(^|\0)GIT_TERMINAL_PROMPT=0\0/);
      assert.doesNotMatch(seen, new RegExp(SECRET));
    },
  );

  test('to the local chain', async () => {
    const {stdout, stop} = leashed('env', []);
    const names = (await text(stdout)).split('\n').map(line => line.replace(/=.*/, ''));
    await stop();
    assert.ok(names.includes('PATH'));
    for (const name of SECRETS) assert.equal(names.includes(name), false, name);
  });

  test('to another program, except for the variables that it reads', async () => {
    const env = await findCommand('env', 'it is part of the system', programEnv('FROZEN_SALES_.*'));
    const {out} = await env([]);
    assert.deepEqual(
      out.split('\n').filter(line => line.endsWith(SECRET)),
      [`FROZEN_SALES_TOKEN=${SECRET}`],
    );
  });
});

async function children(): Promise<string[]> {
  const text = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1');
  return text.split(' ').filter(Boolean);
}
