import assert from 'node:assert/strict';
import {test} from 'node:test';
import {brokenLinks, isChained, type Link} from '../../shared/chain.ts';
import {sha256} from '../../shared/digest.ts';

/** Returns freezes of the first days of May. Each is a letter after the letter of the freeze that it names. */
function freezes(...words: string[]): Link[] {
  return words.map((word, at) => {
    const [name, before] = [word.slice(-1), word.slice(0, -1)];
    const date = `2026-05-0${at + 1}`;
    const named = before === '' ? {} : {previous: sha256(before)};
    return {date, as_of: `${date}T00:00:00.000Z`, descriptor: sha256(name), ...named};
  });
}

/** Returns breaks as `<day> <of>: <first words>`. */
const breaks = (...words: string[]) =>
  brokenLinks({freezes: freezes(...words)}).map(({link, of, rule}) => {
    const [said] =
      /was inserted later|that is missing: it was removed|does not have a "previous"|that was changed, or/.exec(
        rule,
      ) ?? [rule];
    return `${Number(link.date.slice(-2))} ${of}: ${said}`;
  });

test('a chain is complete if each freeze from its beginning names the one before it', () => {
  for (const whole of [[], ['a'], ['a', 'b', 'c'], ['a', 'ab'], ['a', 'b', 'bc', 'cd'], ['a', 'ab', 'bc', 'cd']])
    assert.deepEqual(breaks(...whole), [], whole.join());
  assert.deepEqual([isChained(freezes('a', 'b')), isChained(freezes('a', 'ab'))], [false, true]);
});

test('each break is reported once, as the apparent change', () => {
  const table: [words: string[], reported: string[]][] = [
    // Inserted: with and without the member, one or two, and before the chain begins.
    [['a', 'ab', 'bx', 'bc'], ['3 freeze: was inserted later']],
    [['a', 'ab', 'x', 'bc', 'cd'], ['3 freeze: was inserted later']],
    [
      ['a', 'ab', 'bx', 'xy', 'bc'],
      ['3 freeze: was inserted later', '4 freeze: was inserted later'],
    ],
    [['a', 'b', 'x', 'bc'], ['3 freeze: was inserted later']],
    [['a', 'x', 'ab', 'bc'], ['2 freeze: was inserted later']],
    // Removed or changed. The digests do not show which.
    [['a', 'ab', 'cd'], ['3 previous: that was changed, or']],
    [['a', 'x', 'bc', 'cd'], ['3 previous: that was changed, or']],
    [['a', 'b', 'xc', 'cd'], ['3 previous: that was changed, or']],
    // The first freezes are removed, and the next one still names one.
    [['bc', 'cd'], ['1 previous: that is missing: it was removed']],
    [['xa'], ['1 previous: that is missing: it was removed']],
    // A freeze after the beginning without a previous one.
    [['a', 'ab', 'c'], ['3 freeze: does not have a "previous"']],
    [['a', 'ab', 'c', 'cd'], ['3 freeze: does not have a "previous"']],
    // In another order.
    [['a', 'bc', 'ab'], ['2 freeze: was inserted later']],
    // Two attacks at once are two breaks.
    [
      ['a', 'ab', 'bx', 'bc', 'zd'],
      ['3 freeze: was inserted later', '5 previous: that was changed, or'],
    ],
  ];
  for (const [words, reported] of table) assert.deepEqual(breaks(...words), reported, words.join());
});

test('a long chain in which each freeze names the first one is checked quickly', () => {
  const [first, ...others] = Array.from({length: 30_000}, (_, at): Link => {
    return {date: '2026-05-01', as_of: '', descriptor: sha256(String(at)), previous: sha256('0')};
  });
  assert.ok(first);
  const broken = brokenLinks({freezes: [{...first, previous: undefined}, ...others]});
  assert.equal(broken.filter(({of}) => of === 'freeze').length, others.length - 1);
});
