import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {composeAws, three} from './hosted.ts';
import {findingsIn} from './template-checks.ts';
import type {Template, WafRule} from './template.ts';

describe('the checks of this project', () => {
  const breakages: [string, RegExp, (template: Template, rule: WafRule) => void][] = [
    ['a regional scope', /^Scope/, ({Resources}) => (Resources.WebAcl.Properties.Scope = 'REGIONAL')],
    ['two rules of one priority', /^Priority 0 twice/, (_, rule) => (rule.Priority = 0)],
    ['a rule without an action', /exactly one action/, (_, rule) => delete rule.Action],
    [
      'prices without a configuration',
      /without a conf/,
      ({Resources}) => delete Resources.WebAcl.Properties.MonetizationConfig,
    ],
    ['a multiplier over 100', /bad multiplier/, (_, rule) => (rule.Action = {Monetize: {PriceMultiplier: '101'}})],
    ['no search string', /string of 0 bytes/, (_, rule) => delete rule.Statement.ByteMatchStatement?.SearchString],
    [
      'a search string over 200 bytes',
      /string of 202 bytes/,
      (_, rule) => {
        setSearch(rule, 'é'.repeat(101));
      },
    ],
    [
      'a capturing group',
      /captures/,
      (_, rule) => {
        setPattern(rule, '^/(a|b)$');
      },
    ],
    [
      'a repeat of a repeat',
      /repeats a repeat/,
      (_, rule) => {
        setPattern(rule, '^(?:/[a-z]+)*$');
      },
    ],
    [
      'a pattern over 200 characters',
      /pattern of 201/,
      (_, rule) => {
        setPattern(rule, 'a'.repeat(201));
      },
    ],
    [
      'a group of one statement',
      /fewer than two/,
      (_, rule) => (rule.Statement = {OrStatement: {Statements: [rule.Statement]}}),
    ],
    [
      'four transformations',
      /4 transformations/,
      (_, rule) => {
        transformMore(rule, 8, 9);
      },
    ],
    [
      'two transformations of one priority',
      /transformation 0 twice/,
      (_, rule) => {
        transformMore(rule, 0);
      },
    ],
    [
      'a test chain in real mode',
      /^REAL on/,
      ({Resources}) => {
        setMode(Resources.WebAcl.Properties, 'REAL');
      },
    ],
    [
      'an error page that counts as success',
      /becomes 200/,
      ({Resources}) => {
        setErrorCode(Resources, 200);
      },
    ],
  ];

  for (const [what, finding, breakIt] of breakages) {
    test(`find ${what}`, () => {
      const {template} = composeAws(three);
      const rule = template.Resources.WebAcl.Properties.Rules.find(({Action}) => Action?.Monetize);
      assert.ok(rule);
      breakIt(template, rule);
      assert.match(findingsIn(template).join('\n'), new RegExp(finding.source, 'm'));
    });
  }
});

function setSearch({Statement}: WafRule, search: string): void {
  if (Statement.ByteMatchStatement) Statement.ByteMatchStatement.SearchString = search;
}

function setPattern(rule: WafRule, pattern: string): void {
  rule.Statement = {
    RegexMatchStatement: {
      RegexString: pattern,
      FieldToMatch: {UriPath: {}},
      TextTransformations: [{Priority: 0, Type: 'NONE'}],
    },
  };
}

function transformMore({Statement}: WafRule, ...priorities: number[]): void {
  const more = priorities.map(Priority => ({Priority, Type: 'NONE'}));
  Statement.ByteMatchStatement?.TextTransformations.push(...more);
}

function setMode({MonetizationConfig}: Template['Resources']['WebAcl']['Properties'], mode: string): void {
  if (MonetizationConfig) MonetizationConfig.CurrencyMode = mode;
}

function setErrorCode({Distribution}: Template['Resources'], code: number): void {
  for (const response of Distribution.Properties.DistributionConfig.CustomErrorResponses) response.ResponseCode = code;
}
