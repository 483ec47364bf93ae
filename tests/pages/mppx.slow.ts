import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {after, before, describe, test} from 'node:test';
import {promisify} from 'node:util';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {fileOfPackage} from '../extra/extra.ts';
import {openShop} from './shop.ts';

interface Check {
  readonly label: string;
  readonly severity: 'pass' | 'skip' | 'warn' | 'fail';
}

interface Validation {
  readonly discovery: {readonly checks: readonly Check[]};
  readonly endpoints: readonly {readonly path: string; readonly challenge: readonly Check[]}[];
}

const PROGRAM = fileOfPackage('mppx/dist/bin.js');

/** Runs `mppx` and returns its output. Rejects if it exits with an error. */
async function mppx(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [PROGRAM, ...args])).stdout;
}

function outcomes(checks: readonly Check[]): string[] {
  return checks.map(({severity, label}) => `${severity}: ${label}`);
}

describe('the gate of the example site', () => {
  let shop: Listening;

  before(async () => {
    shop = await openShop(EXAMPLE);
  });
  after(() => shop.stop());

  test('passes mppx discover validate', async () => {
    assert.match(await mppx('discover', 'validate', `${shop.url}/openapi.json`), /^Discovery document is valid\.$/m);
    await assert.rejects(mppx('discover', 'validate', `${shop.url}/api/v1/index.json`), {code: 1});
  });

  test('passes mppx validate as a server of x402 only', async () => {
    // With text output, mppx exits with an error unless a 402 also offers MPP, which the gate does not accept.
    const {discovery, endpoints} = JSON.parse(await mppx('validate', shop.url, '--output-json')) as Validation;
    assert.deepEqual(outcomes(discovery.checks), [
      'pass: llms.txt found and nonempty',
      'pass: Document found and parseable',
      'pass: Valid OpenAPI structure',
      'pass: Paid endpoints found',
    ]);
    const {rules} = (await readJson(EXAMPLE, 'paywall/rules/rules.json')) as {rules: {path: string}[]};
    assert.deepEqual(endpoints.map(({path}) => path).sort(), rules.map(({path}) => path).sort());
    for (const {challenge} of endpoints) {
      assert.deepEqual(outcomes(challenge), [
        'pass: Returns 402 without credentials',
        'skip: Not an MPP endpoint',
        'pass: x402 payment challenge',
      ]);
    }
  });
});
