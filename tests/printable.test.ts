import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {invisibleRule, printable, printableLines, printableOutput, withoutControls} from '../shared/printable.ts';

/** Examples of each kind of invisible character. */
const UNSEEN = [
  ...['\u0000', '\t', '\u001b', '\u007f', '\u0085'],
  ...['\u00a0', '\u1680', '\u2000', '\u200a', '\u202f', '\u205f', '\u3000', '\u2028', '\u2029'],
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200d', '\u202e', '\u2060'],
  ...['\u2064', '\u2066', '\u206f', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufff0', '\u{1d173}', '\u{e0041}'],
  ...['\u{e0100}', '\u2800', '\u{1d159}', '\u{13441}', '\u{16fe4}', '\ud800', '\udfff'],
];
const SEEN = ['A b', 'é', 'ﬁ', '日本', '🙂', 'שלום', '~', '\ufffd'];
const name = (text: string) => `U+${(text.codePointAt(0) ?? 0).toString(16)}`;

describe('printable', () => {
  for (const character of UNSEEN)
    it(`writes ${name(character)} with the escape of JSON`, () => {
      const shown = printable(`a${character}b`);
      assert.match(shown, /^a(\\u[0-9a-f]{4})+b$/);
      assert.equal(JSON.parse(`"${shown}"`), `a${character}b`);
    });
  it('does not change other characters', () => {
    for (const text of SEEN) assert.equal(printable(text), text);
  });
});

describe('printableLines and printableOutput', () => {
  it('do not change line feeds', () => {
    assert.equal(printableLines('a\nb\u2800\r\n'), 'a\nb\\u2800\\u000d\n');
    assert.equal(printableOutput('a\nb\u2800\r\n'), 'a\nb\\u2800\r\n');
  });
  it('allow only the colours that commands use', () => {
    assert.equal(printableOutput('\u001b[31mred\u001b[39m'), '\u001b[31mred\u001b[39m');
    assert.equal(printableOutput('\u001b[8mhidden \u001b[2J'), '\\u001b[8mhidden \\u001b[2J');
  });
});

describe('withoutControls', () => {
  it('does not change parts of words', () => {
    for (const word of ['می‌خواهم', '👨‍👩‍👧', '❤\ufe0f\u200d🔥', '10\u00a0km', 'Wort\u00adteil', '葛\u{e0100}城'])
      assert.equal(withoutControls(word), word);
  });
  for (const hidden of ['\u2800', '\u3164', '\u202e', '\u{e0041}', ' \u200b', 'x\u200b\u200b', '\ufe0f\ufe0f\ufe0f'])
    it(`shows ${JSON.stringify(hidden)} of ${name(hidden)}`, () => {
      assert.match(withoutControls(`a${hidden}`), /\\u/);
    });
});

describe('invisibleRule', () => {
  it('names the code point and its place', () => {
    assert.match(invisibleRule('ab\u{e0041}') ?? '', /^has the invisible character U\+E0041 at position 3$/);
  });
  it('allows tabs, line ends and visible texts', () => {
    for (const text of ['a\tb\r\nc', ...SEEN]) assert.equal(invisibleRule(text), undefined);
  });
});
