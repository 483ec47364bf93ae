import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {parse} from '../../../shared/json-text.ts';
import {openSite} from '../../../paywall/site/open-site.ts';
import {SiteError} from '../../../paywall/site/site-error.ts';
import {InputError} from '../../../shared/fault.ts';
import {shaped} from '../../../shared/shaped.ts';
import {catalogueSchema, rulesSchema} from '../../../shared/shapes.ts';
import {fixtureSite, type FixtureSite} from '../../paywall/fixture-site.ts';
import {runApart} from '../ended-well.ts';
import type {Target} from '../target.ts';

const ODD = ['null', '[]', '{}', '0', '-0', '1e400', '-1e400', '1e-400', '9007199254740993', '"\\ud800"', '"__proto__"', '"\\u0000"', '{"__proto__": {"a": 1}}', '{"toString": null}', '""', 'true', 'x', '[[[[[[[[', '"', '{"length": 1e9}', '["a", "a"]', '"/../../x"', '"//evil.example"']; // prettier-ignore
const value = fc.oneof(fc.constantFrom(...ODD), fc.json(), fc.string({unit: 'binary'}));
/** A change of the text: a value and its replacement, or a place and the inserted characters. */
const edit = fc.record({at: fc.double({min: 0, max: 1, noNaN: true}), whole: fc.boolean(), put: value});

/** Damaged catalogues and rules are read, or refused with a message, by the gate and by `verify`. */
export default {
  name: 'shapes',
  async open() {
    const site = await fixtureSite();
    const property = fc.asyncProperty(
      fc.constantFrom('catalogue', 'rules'),
      fc.array(edit, {minLength: 1, maxLength: 4}),
      fc.nat(19).map(one => one === 0),
      (which, edits, isVerified) => tryShape(site, which, edits, isVerified),
    );
    return {property, [Symbol.asyncDispose]: () => site.remove()};
  },
} satisfies Target;

type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

async function tryShape(
  site: FixtureSite,
  which: 'catalogue' | 'rules',
  edits: readonly Edit[],
  isVerified: boolean,
): Promise<void> {
  const file = join(site.root, which === 'rules' ? 'paywall/rules/rules.json' : 'public/api/v1/index.json');
  const good = JSON.stringify(site[which], null, 2);
  const text = edits.reduce(edited, good);
  await writeFile(file, text);
  try {
    refusing(
      () =>
        shaped<unknown>(
          which === 'rules' ? rulesSchema : catalogueSchema,
          parse({file}, Buffer.from(text).toString()).value,
        ),
      InputError,
    );
    await openSite(site.root).catch((error: unknown) => {
      assert.ok(error instanceof SiteError, error instanceof Error ? error.stack : String(error));
    });
    // A process takes longer than everything else.
    if (isVerified) await tryVerify(site.root);
    assert.equal(Object.keys(Object.prototype).length, 0);
  } finally {
    await writeFile(file, good);
  }
}

async function tryVerify(root: string): Promise<void> {
  const {code, out, err} = await runApart('verify', 'site', root);
  assert.ok(code === 0 || code === 1, `exit code ${code}: ${err}`);
  assert.doesNotMatch(out + err, /\n\s+at /);
}

function refusing(act: () => unknown, expected: typeof InputError): void {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof expected, error instanceof Error ? error.stack : String(error));
  }
}

/** Replaces a whole value of JSON, or inserts characters at any place. */
function edited(text: string, {at, whole, put}: Edit): string {
  if (!whole) return text.slice(0, at * text.length) + put + text.slice(at * text.length);
  const values = [...text.matchAll(/(?<=: |\n *)("(?:[^"\\]|\\.)*"(?!:)|-?\d[\d.]*|true|false|null|\[\]|\{\})/g)];
  const found = values[Math.floor(at * values.length)];
  return found ? text.slice(0, found.index) + put + text.slice(found.index + found[0].length) : text;
}
