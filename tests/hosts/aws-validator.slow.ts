import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {RegoEngine, TemplateFile} from '../extra/cloudformation-validate.js';
import {composeAws, three} from './hosted.ts';
import {templateSites} from './template-sites.ts';

// Slow, because the validator compiles its rules for seconds.

describe('the template, according to the validator of AWS,', () => {
  let folder = '';
  const engine = new RegoEngine();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'template-'));
  });
  after(async () => {
    engine.free();
    await rm(folder, {recursive: true});
  });

  /** Returns the findings above INFO of the validator from AWS. */
  async function validate(text: string): Promise<string[]> {
    const file = join(folder, 'template.json');
    await writeFile(file, text);
    const {diagnostics} = engine.validateStandard(new TemplateFile(file), {
      pseudoParameterOverrides: {region: 'us-east-1'},
    });
    return diagnostics.filter(({severity}) => severity !== 'INFO').map(({ruleId, message}) => `${ruleId}: ${message}`);
  }

  for (const [name, site] of Object.entries(templateSites)) {
    test(`is valid for ${name}`, async () => {
      assert.deepEqual(await validate(composeAws(site).text), []);
    });
  }

  test('is refused if a multiplier is not a number from 1 to 100', async () => {
    const bad = composeAws(three).text.replace('"PriceMultiplier": "15"', '"PriceMultiplier": "101"');
    assert.notDeepEqual(await validate(bad), []);
  });

  test('is refused if a reference has no target', async () => {
    assert.notDeepEqual(await validate(composeAws(three).text.replace('"PaidHeaders": {', '"Other": {')), []);
  });
});
