import {mkdir, rename, rm, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {SITE} from '../site-fixture.ts';
import {below, type BadInput} from './bad-input.ts';

const [accepted] = SITE.payment.accepts;

const written = (name: string, content: string | Uint8Array | object, says: BadInput['says']): BadInput => ({
  name,
  breaks: site => site.write('data/site.json', content),
  says: below('data', says),
});
const having = (name: string, members: object, says: BadInput['says']) => written(name, {...SITE, ...members}, says);
const paying = (name: string, members: object, says: BadInput['says']) =>
  having(name, {payment: {...SITE.payment, ...members}}, says);
/** @param shown the same without its password */
const origin = (base_url: string, shown = base_url) =>
  having(
    `the base_url ${base_url}`,
    {base_url},
    `site.json:3: base_url ${JSON.stringify(shown)} is not an http(s) origin such as https://snapshots.example: no path, no slash at the end`,
  );
const payee = (pay_to: string) =>
  paying(
    `the payee ${pay_to}`,
    {accepts: [{...accepted, pay_to}]},
    `site.json:8: payment.accepts[0].pay_to ${JSON.stringify(pay_to)} is not an EVM address: 0x and 40 hexadecimal digits`,
  );

export const sites: readonly BadInput[] = [
  {
    name: 'a root without data/',
    breaks: site => rm(join(site.root, 'data'), {recursive: true}),
    says: ['data/site.json does not exist', 'data/products does not contain a product'],
  },
  {
    name: 'a missing file',
    breaks: site => rm(join(site.root, 'data/site.json')),
    says: 'data/site.json does not exist',
  },
  {
    name: 'a folder in its place',
    breaks: async site => {
      await rm(join(site.root, 'data/site.json'));
      await mkdir(join(site.root, 'data/site.json'));
    },
    says: 'data/site.json is a folder, not a file',
  },
  {
    name: 'a link that leads nowhere',
    breaks: async site => {
      await rename(join(site.root, 'data/site.json'), join(site.root, 'data/moved.json'));
      await symlink('nowhere.json', join(site.root, 'data/site.json'));
    },
    says: 'data/site.json does not exist',
  },
  written('an empty file', '', 'site.json is empty'),
  written('blank space', ' \n\n', 'site.json:3:1 is not JSON: it lacks a value here'),
  written(
    'broken JSON',
    '{\n  "title": "Test",\n  "base_url" "https://test.example"\n}\n',
    'site.json:3:13 is not JSON: it lacks a colon after this name',
  ),
  written(
    'a cut-off file',
    '{\n  "title": "Test",\n  "base_url": "https://te',
    'site.json:3:15 is not JSON: it has a text without its second quotation mark',
  ),
  written(
    'a comma after the last member',
    '{\n  "title": "Test",\n}\n',
    'site.json:2:18 is not JSON: this comma has no value after it',
  ),
  written(
    'a merge conflict',
    '{\n<<<<<<< HEAD\n  "title": "Mine"\n=======\n  "title": "Yours"\n>>>>>>> other\n}\n',
    'site.json:2:1 is not JSON: it has the two versions of a merge conflict in git',
  ),
  written(
    'a comment',
    '{\n  // mine\n  "title": "Test"\n}\n',
    'site.json:2:3 is not JSON: it has a comment, which JSON does not have',
  ),
  written(
    'single quotation marks',
    '{\n  \'title\': "Test"\n}',
    'site.json:2:3 is not JSON: it has single quotation marks, as Python prints',
  ),
  written(
    'a name without quotation marks',
    '{\n  title: "Test"\n}',
    'site.json:2:3 is not JSON: it has a name of a member without quotation marks, which JSON does not allow',
  ),
  written(
    'a text without quotation marks',
    '{\n  "title": Test\n}',
    'site.json:2:12 is not JSON: it has the word Test without quotation marks',
  ),
  written(
    'typographic quotation marks',
    '{\n  “title”: "Test"\n}',
    'site.json:2:3 is not JSON: it has the quotation mark “, and JSON only has "',
  ),
  written(
    'a quotation mark within a text',
    '{\n  "title": "a "b" c"\n}',
    'site.json:2:15 is not JSON: it has a quotation mark within a text',
  ),
  written('NaN', '{\n  "title": NaN\n}', 'site.json:2:12 is not JSON: it has NaN, which JSON does not have'),
  written(
    'a hexadecimal number',
    '{\n  "title": 0x1F\n}',
    'site.json:2:12 is not JSON: it has a number that starts with 0 and another digit, which JSON does not allow',
  ),
  written(
    'a brace that is not closed',
    '{\n  "license": {\n  "title": "Test"\n}',
    'site.json:1:1 is not JSON: it has a "{" that is not closed',
  ),
  written(
    'a bracket that is not closed',
    '{\n  "a": [1, 2\n}',
    'site.json:2:8 is not JSON: it has a "[" that is not closed',
  ),
  written(
    'a backslash',
    '{\n  "title": "C:\\lists"\n}',
    'site.json:2:12 is not JSON: it has a backslash that does not start an escape of JSON',
  ),
  written('words behind the end', '{\n}\n\nend', 'site.json:4:1 is not JSON: it has text after the end of its value'),
  written('two values', '{}\n{}\n', 'site.json:2:1 is not JSON: it has text after the end of its value'),
  written(
    'an unescaped tabulator in a text',
    '{\n  "title": "a\tb"\n}\n',
    'site.json:2:12 is not JSON: it has a control character within a text',
  ),
  written('a byte order mark', '\ufeff{"title": "Test"}', 'site.json:1 starts with a byte order mark'),
  written(
    'bytes that are not UTF-8',
    Buffer.from('{\n  "title": "caf\xe9"\n}', 'latin1'),
    'site.json:2 has bytes that are not UTF-8',
  ),
  written('UTF-16', Buffer.from('\ufeff{"title": "Test"}', 'utf16le'), 'site.json:1 has bytes that are not UTF-8'),
  written('a hundred thousand brackets', '['.repeat(100_000), 'site.json is nested more than 64 levels deep'),
  written(
    'a hundred thousand nested lists',
    '['.repeat(100_000) + ']'.repeat(100_000),
    'site.json is nested more than 64 levels deep',
  ),
  written('a list', '[]', 'site.json:1: [] is not of type object'),
  written('null', 'null', 'site.json:1: null is not of type object'),
  written('a text', '"site"', 'site.json:1: "site" is not of type object'),
  written('an empty object', '{}', [
    'site.json:1: title is missing',
    'site.json:1: base_url is missing',
    'site.json:1: payment is missing',
  ]),
  written(
    'a duplicate member',
    '{\n  "title": "A",\n  "title": "B"\n}',
    'site.json:3: title occurs twice in one object',
  ),
  written(
    'a duplicate member deep inside',
    '{\n  "payment": {"accepts": [\n    {"pay_to": "0x1",\n      "pay_to": "0x2"}]}\n}',
    'site.json:4: pay_to occurs twice in one object',
  ),
  written(
    'a duplicate member with escaped names',
    '{\n  "title": "A",\n  "t\\u0069tle": "B"\n}',
    'site.json:3: title occurs twice in one object',
  ),
  written(
    'a member __proto__',
    `{"__proto__": {"title": "x"},\n${JSON.stringify(SITE).slice(1)}`,
    'site.json:1: __proto__ is not a known field',
  ),
  written(
    'a duplicate member __proto__',
    `{"__proto__": 1,\n"__proto__": 2,\n${JSON.stringify(SITE).slice(1)}`,
    'site.json:2: __proto__ occurs twice in one object',
  ),
  written('members taken from a prototype', '{"__proto__": {"title": "T", "base_url": "https://t.example"}}', [
    'site.json:1: title is missing',
    'site.json:1: base_url is missing',
    'site.json:1: payment is missing',
    'site.json:1: __proto__ is not a known field',
  ]),
  having('an unknown member', {titel: 'x'}, 'site.json:13: titel is not a known field; did you mean title?'),
  paying(
    'an unknown member in payment',
    {accept: []},
    'site.json:12: payment.accept is not a known field; did you mean accepts?',
  ),
  having('a member called constructor', {constructor: 'x'}, 'site.json:13: constructor is not a known field'),
  having(
    'a title that is a number',
    {title: 7},
    'site.json:2: title 7 is not one line of 1 to 200 characters without surrounding spaces',
  ),
  having(
    'an empty title',
    {title: ''},
    'site.json:2: title "" is not one line of 1 to 200 characters without surrounding spaces',
  ),
  having(
    'a title of two lines',
    {title: 'a\nb'},
    'site.json:2: title "a\\nb" is not one line of 1 to 200 characters without surrounding spaces',
  ),
  having(
    'a title of 201 characters',
    {title: 'x'.repeat(201)},
    'site.json:2: title "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… is not one line of 1 to 200 characters without surrounding spaces',
  ),
  having(
    'a title with a space in front',
    {title: ' x'},
    'site.json:2: title " x" is not one line of 1 to 200 characters without surrounding spaces',
  ),
  having('no payment', {payment: undefined}, 'site.json:1: payment is missing'),
  having('payment null', {payment: null}, 'site.json:4: payment null is not of type object'),
  having(
    'a base_url that is null',
    {base_url: null},
    'site.json:3: base_url null is not an http(s) origin such as https://snapshots.example: no path, no slash at the end',
  ),
  ...[
    'https://test.example/',
    'https://test.example/shop',
    'https://test.example:443',
    'https://TEST.example',
    'https://test.example?x=1',
    'https://test.example#x',
    'ftp://test.example',
    'javascript:alert(1)',
    'test.example',
    '//test.example',
    '',
    'https://',
    'https://test .example',
    'https://test.example\n',
  ].map(base_url => origin(base_url)),
  origin('https://me:secret@test.example', 'https://test.example/'),
  ...[
    '',
    '0x',
    '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C',
    '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C22',
    '041ec56D29fd9dB68be5bD58D63D42dd181A65C2',
    '0X041ec56D29fd9dB68be5bD58D63D42dd181A65C2',
    '0x041ec56D29fd9dB68be5bD58D63D42dd181A65CG',
    'publisher.eth',
  ].map(payee),
  paying(
    'an address with a wrong checksum',
    {accepts: [{...accepted, pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65c2'}]},
    'site.json:8: payment.accepts[0].pay_to "0x041ec56D29fd9dB68be5bD58D63D42dd181A65c2" has upper and lower case that are not its checksum (EIP-55): look for a mistyped digit',
  ),
  ...[`0x${'0'.repeat(40)}`, `0x${'1'.repeat(40)}`, `0x${'0'.repeat(36)}dEaD`, `0x${'f'.repeat(40)}`].map(unowned =>
    paying(
      `money that would be lost at ${unowned}`,
      {accepts: [{network: 'eip155:8453', pay_to: unowned}]},
      `site.json:8: payment.accepts[0].pay_to "${unowned}" is an address without an owner: money paid on eip155:8453 would be lost`,
    ),
  ),
  paying('no network', {accepts: []}, 'site.json:5: payment.accepts [] is an empty list'),
  // The dollar token on MegaETH accepts no authorizations (EIP-3009), only Permit2.
  ...['eip155:424242', 'eip155:4326'].map(network =>
    paying(
      `${network}, a network without a dollar that a gate can sell for`,
      {accepts: [{...accepted, network}]},
      `site.json:7: payment.accepts[0].network "${network}" is not a network on which x402 has a dollar token that accepts authorizations (EIP-3009)`,
    ),
  ),
  paying(
    'a network that is not EVM',
    {accepts: [{...accepted, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'}]},
    'site.json:7: payment.accepts[0].network "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" is not an EVM network in CAIP-2 form, such as eip155:8453',
  ),
  paying(
    'a network by its name',
    {accepts: [{...accepted, network: 'base'}]},
    'site.json:7: payment.accepts[0].network "base" is not an EVM network in CAIP-2 form, such as eip155:8453',
  ),
  paying(
    'a network given as a number',
    {accepts: [{...accepted, network: 8453}]},
    'site.json:7: payment.accepts[0].network 8453 is not an EVM network in CAIP-2 form, such as eip155:8453',
  ),
  paying(
    'a duplicate network',
    {accepts: [accepted, {...accepted, pay_to: `0x${'1'.repeat(40)}`}]},
    'site.json:11: payment.accepts[1].network "eip155:84532" is listed twice',
  ),
  paying(
    'test money together with real money',
    {accepts: [accepted, {...accepted, network: 'eip155:8453'}]},
    'site.json:5: payment.accepts mixes test and main networks: buyers could pay with test money',
  ),
  paying('a network thrice', {accepts: [accepted, accepted, accepted]}, [
    'site.json:11: payment.accepts[1].network "eip155:84532" is listed twice',
    'site.json:15: payment.accepts[2].network "eip155:84532" is listed twice',
  ]),
  paying(
    'a facilitator without a scheme',
    {facilitator_url: 'facilitator.example'},
    'site.json:11: payment.facilitator_url "facilitator.example" is not an absolute http(s) address without credentials',
  ),
  paying(
    'a facilitator that is a script',
    {facilitator_url: 'javascript:alert(1)'},
    'site.json:11: payment.facilitator_url "javascript:alert(1)" is not an absolute http(s) address without credentials',
  ),
  paying(
    'a facilitator with credentials',
    {facilitator_url: 'https://me:secret@facilitator.example'},
    'site.json:11: payment.facilitator_url "https://facilitator.example/" is not an absolute http(s) address without credentials',
  ),
  paying('no facilitator', {facilitator_url: undefined}, 'site.json:4: payment.facilitator_url is missing'),
  {
    name: 'faults in several files, and shows them all',
    breaks: async site => {
      await site.write('data/site.json', {...SITE, base_url: 'https://test.example/', title: 'a\nb'});
      await site.write('data/products/soft-fail-3.json', {kind: 'class-share', price: '$0'});
      await site.write('data/products/first-last-same.json', '{');
    },
    says: [
      'data/site.json:2: title "a\\nb" is not one line of 1 to 200 characters without surrounding spaces',
      'data/site.json:3: base_url "https://test.example/" is not an http(s) origin such as https://snapshots.example: no path, no slash at the end',
      'data/products/first-last-same.json:1:1 is not JSON: it has a "{" that is not closed',
      'data/products/soft-fail-3.json:1: title is missing',
      'data/products/soft-fail-3.json:1: difference is missing',
      'data/products/soft-fail-3.json:1: source is missing',
      'data/products/soft-fail-3.json:1: class is missing',
      'data/products/soft-fail-3.json:3: price "$0" is not "$" and an amount above zero with 1 to 6 digits after the point, such as "$0.02"',
    ],
  },
];
