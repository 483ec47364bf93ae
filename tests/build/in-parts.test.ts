import assert from 'node:assert/strict';
import {test} from 'node:test';
import {InParts, Part} from '../../build/compose/in-parts.ts';

const [one, other] = ['one', 'other'];
/** As long as two of the pieces that are handed on at a time. */
const long = 'x'.repeat(1 << 19);
const values = new Map([
  [one, {text: 'half \ud800 "\\ud800"', long}],
  [other, {list: [{long}, []], none: {}}],
]);

test('a document in parts has the bytes of one that is made at once', () => {
  const partOf = (of: string) => new Part(of, () => values.get(of) ?? {});
  const whole = {a: [values.get(one), 'é\n'], b: {c: {'/d "\\ud800"': values.get(other)}}};
  const expected = `${JSON.stringify(whole, null, 2)}\n`;
  const document = {a: [partOf(one), 'é\n'], b: {c: {'/d "\\ud800"': partOf(other)}}};
  const first = new InParts(document);
  assert.equal([...first.pieces()].join(''), expected);

  const asked: string[] = [];
  const second = new InParts(document);
  const former = (of: string) => {
    asked.push(of);
    const [start, length] = first.places.get(of) ?? [0, 0];
    return expected.slice(start, start + length);
  };
  assert.equal([...second.pieces(former)].join(''), expected);
  assert.deepEqual(asked, [one, other]);
  assert.deepEqual(second.places, first.places);
});
