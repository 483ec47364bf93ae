import assert from 'node:assert/strict';
import {describe, test} from 'node:test';
import {headerIn} from '../../scripts/freeze/csv/header.ts';
import {InputError} from '../../shared/fault.ts';

const column = <T>(length: number, value: (n: number) => T) => Array.from({length}, (_, n) => value(n));
const lines = (...rows: string[]) => rows.map(row => `${row}\n`).join('');
const prices = column(12, n => `2026-01-${String(n + 1).padStart(2, '0')};1,${n + 25}`);

interface Options {
  readonly delimiter?: string;
  readonly isNamed?: boolean;
  readonly expected?: readonly string[];
}

function header(text: string | Buffer, {delimiter, isNamed = false, expected}: Options = {}): string {
  try {
    const found = headerIn(Buffer.from(text), true, 'x.csv', {delimiter, line: 1, isNamed, expected});
    return `${found.names.join(' | ')} at ${JSON.stringify(found.delimiter)}`;
  } catch (error) {
    if (error instanceof InputError) return `${error.message}. ${error.faults[0]?.fix ?? ''}`;
    throw error;
  }
}

const ACCEPTED: readonly (readonly [name: string, text: string, header: string, options?: Options])[] = [
  ['a comma', lines('id,name', '1,a', '2,b'), 'id | name at ","'],
  ['a semicolon and decimal commas', lines('id;price', '1;1,5', '2;2,5'), 'id | price at ";"'],
  ['a tab and decimal commas', lines('id\tprice', '1\t1,5', '2\t2,5'), 'id | price at "\\t"'],
  ['a pipe and semicolons in values', lines('id|tags', '1|a;b', '2|c;d'), 'id | tags at "|"'],
  ['a comma and pipes in values', lines('id,tags', '1,a|b', '2,c|d'), 'id | tags at ","'],
  ['delimiters in a quoted name', lines('id,"a;b;c"', '1,x', '2,y'), 'id | a;b;c at ","'],
  ['delimiters in quoted values', lines('id,note;', '1,"a;b"', '2,"c;d"'), 'id | note; at ","'],
  ['one column', lines('name', 'a', 'b'), 'name at ","'],
  ['one column of decimal commas', lines('price', 'a', 'b,c'), 'price at ","'],
  ['a row with too many values', lines('id,name', '1,a', '2,b', '3,c,d'), 'id | name at ","'],
  ['a decimal comma in the header, if --delimiter says so', lines('Datum;Kurs, EUR', ...prices), 'Datum | Kurs, EUR at ";"', {delimiter: ';'}],
  ['years as columns, if --header-row says so', lines('2020,2021', '5,6'), '2020 | 2021 at ","', {isNamed: true}],
  ['years as columns of texts', lines('name,2021', 'x,good', 'y,bad'), 'name | 2021 at ","'],
  ['names with points', lines('sepal.length,sepal.width', '5.1,3.5', '4.9,3.0'), 'sepal.length | sepal.width at ","'],
  ['a number sign, if --header-row says so', lines('#id,name', '1,a'), '#id | name at ","', {isNamed: true}],
  ['columns of the last freeze that look like data', lines('2020,2021', '5,6'), '2020 | 2021 at ","', {expected: ['2020', '2021']}],
  ['a tie that the last freeze settles', lines('Datum;Kurs, EUR', ...prices), 'Datum | Kurs, EUR at ";"', {expected: ['Datum', 'Kurs, EUR']}],
  ['a byte order mark', `\ufeff${lines('id,name', '1,a')}`, 'id | name at ","'],
  ['lines that end with CR', 'id,name\r1,a\r2,b\r', 'id | name at ","'],
  ['a missing value in the first row', lines('id,n', '1,N/A', '2,5', '3,6', '4,7'), 'id | n at ","'],
]; // prettier-ignore

const REFUSED: readonly (readonly [name: string, text: string, says: RegExp, options?: Options])[] = [
  ['a semicolon and a comma with equal results', lines('Datum;Kurs, EUR', ...prices), /:1 can be split at "," \(2 columns\) and at ";" \(2 columns\). Add `--delimiter ','` or `--delimiter ';'`\.$/],
  ['such a tie with one broken row', lines('Datum;Kurs, EUR', ...prices, '2026-02-01'), /can be split at "," .* and at ";"/],
  ['such a tie in which the comma splits all rows and the semicolon most', lines('a;b, EUR', ...prices, '2026-02-01,1'), /can be split at/],
  ['a tab and a pipe with equal results', lines('a\tb|c', '1\t2|3', '4\t5|6'), /at "\\t" .* at "\|" .*\. Add `--delimiter tab` or `--delimiter '\|'`\.$/],
  ['a title with empty values', lines('Prices,,', 'of May,,', 'id,name,price', '1,a,5', '2,b,6'), /:1: "Prices,," does not name all columns\. If it is above the header, add `--header-row 3`\. If it is the header, add `--header-row 1 --columns 'Prices,column2,column3'`\.$/],
  ['merged cells above the header', lines('Town,,Votes,', 'code,name,a,b', '1,x,5,6', '2,y,7,8'), /"Town,,Votes," does not name all columns\. If it is above the header, add `--header-row 2`\./],
  ['a title that --header-row chose', lines('Prices,,', 'id,name,price', '1,a,5', '2,b,6'), /If it is above the header, add `--header-row 2`/, {isNamed: true}],
  ['a header with two missing names above data', lines('id,,', '1,x,5', '2,y,6'), /column 2 is unnamed\. Name it in the list, or add/],
  ['addresses in place of a header', lines(...column(14, n => `https://s${n}.example/,${n % 2 ? 'fine' : 'dead'}`)), /:1: column 1 "https:\/\/s0\.example\/" is an address, like the values below it, .*\. Add `--columns 'column1,column2'` if the header is missing, or `--header-row 1` if this is the header\.$/],
  ['one row of data', 'https://a.example/,dead\n', /column 1 "https:.*" is an address, so the first line may not be a header/],
  ['data, with the columns of the last freeze', lines('https://a.example/,dead', 'https://b.example/,fine'), /Add `--columns 'url,class'` if/, {expected: ['url', 'class']}],
  ['numbers in place of a header', lines('1,5', '2,6'), /column 1 "1" is a number, like the values below it/],
  ['decimal commas in place of a header', lines('a;1,5', 'b;2,5'), /column 2 "1,5" is a number/, {delimiter: ';'}],
  ['dates in place of a header', lines('2026-01-01,x', '2026-01-02,y'), /column 1 "2026-01-01" is a date/],
  ['German dates', lines('01.02.2026;x', '02.02.2026;y'), /column 1 "01\.02\.2026" is a date/],
  ['times', lines('2026-01-01T10:00:00Z,x', '2026-01-02T10:00:00Z,y'), /is a date/],
  ['e-mail addresses', lines('a@x.example', 'b@x.example'), /is an e-mail address/],
  ['host names', lines('a.example', 'b.example'), /is a host name/],
  ['IP addresses', lines('10.0.0.1', '10.0.0.2'), /is an IP address/],
  ['hashes', lines('d41d8cd98f00b204e9800998ecf8427e', '0cc175b9c0f1b6a831c399e269772661'), /is an identifier/],
  ['hashes with counts', lines('0018A45C4D1DEF81644B54AB7F969B88D65:10', '00D4F6E8FA6EECAD2A3AA415EEC418D38EC:2'), /is an identifier/],
  ['classes that recur', lines('alice,dead', 'bob,fine', 'carol,dead'), /column 2 "dead" is also a value of this column/],
  ['years as columns', lines('2020,2021', '5,6'), /column 1 "2020" is a number, .* or `--header-row 1` if this is the header\.$/],
  ['a row with an empty cell in place of a header', lines('2006-01-01,CGK,,7', '2006-01-02,MDC,x,8'), /column 1 "2006-01-01" is a date, like the values below it, so the first line may not be a header\. Add `--columns 'column1,column2,column3,column4'` if the header is missing, or `--header-row 1 --columns '2006-01-01,CGK,column3,7'` if this is the header\.$/],
  ['an index without a name and years', lines(',2020,2021', '0,5,6', '1,7,8'), /column 2 "2020" is a number, .* if the header is missing, or `--header-row 1 --columns 'index,2020,2021'` if this is the header\.$/],
  ['a value twice in place of a header', lines('1,5,5', '2,6,7'), /column 1 "1" is a number, .* or `--header-row 1 --columns '1,5,5_2'` if this is the header\.$/],
  ['a title', lines('Report of 2026', '', 'id,name', '1,a', '2,b'), /:1: "Report of 2026" has 1 value, and most lines below have 2\. If it is a title above the header, add `--header-row 3`\.$/],
  ['a title with the delimiter', lines('Report, 2026, final', 'id,name', '1,a', '2,b'), /"Report, 2026, final" has 3 values, and most lines below have 2\. If it is a title above the header, add `--header-row 2`\.$/],
  ['a title with the delimiter above one column', lines('Report, 2026', 'name', 'a', 'b'), /has 2 values, and most lines below have 1\. .* add `--header-row 2`\.$/],
  ['a title with as many commas as the header', lines('Report, 2026', 'url,class', ...column(4, n => `https://${n}.example/,dead`)), /is followed by a line unlike all others\. Add `--header-row 2` if that is the header/],
  ['a title above semicolons and decimal commas', lines('Report', 'a;b', '1,5;2,5', '3,5;4,5'), /most lines below have 2\. .* add `--header-row 2`\.$/],
  ['comments', lines('# made by x', '# a, b', 'id,name', '1,a', '2,b'), /"# made by x" looks like a comment, not like a header\. Add `--header-row 3` if it is one, or `--header-row 1`/],
  ['a header in a comment', lines('# made by x', '# id,seen', '1,2026-01-01', '2,2026-01-02'), /looks like a comment, .* Add `--header-row 2 --columns 'id,seen'` if it is one/],
  ['a comment above one column', lines('// hosts', 'name', 'a', 'b'), /looks like a comment, .* Add `--header-row 2` /],
  ['a line for Excel', 'sep=;\r\nid;name\r\n1;a\r\n', /:1: "sep=;" is an instruction to Excel, not a header\. Add `--header-row 2 --delimiter ';'`\.$/],
  ['a line for Excel with a byte order mark', '\ufeffSEP=,\r\nid,name\r\n1,a\r\n', /is an instruction to Excel, .* `--header-row 2 --delimiter ','`\.$/],
  ['a line for Excel in quotation marks', '"sep=;"\r\nid;name\r\n1;a\r\n', /is an instruction to Excel/],
  ['a line for Excel with a tab', 'sep=\t\r\nid\tname\r\n1\ta\r\n', /is an instruction to Excel, .* `--header-row 2 --delimiter tab`\.$/],
  ['an index without a name', lines(',id,q', '0,a,1', '1,b,2'), /:1: column 1 is unnamed, as if pandas or R wrote its row numbers there\. Write the list without them \(index=False, row\.names=FALSE\), or add `--header-row 1 --columns 'index,id,q'`\.$/],
  ['an index without a name, quoted', lines('"","id"', '"1","a"'), /column 1 is unnamed, as if pandas or R/],
  ['a delimiter at the end of the header', lines('id,name,', '1,a,', '2,b,'), /column 3 is unnamed\. Name it in the list, or add `--header-row 1 --columns 'id,name,column3'`\.$/],
  ['names missing', lines('a,b', '1,2,3', '4,5,6'), /"a,b" has 2 values, and most lines below have 3\. .* add `--header-row 1 --columns 'column1,column2,column3'`\.$/],
  ['an empty row', lines(',,', 'id,name,x', '1,a,2'), /",," is an empty row, not a header\. Add `--header-row 2`\.$/],
  ['blank lines', lines('', ' ', '', 'id,name', '1,a'), /:1:? /],
  ['only blank lines', '\n\n', /has only blank lines/],
  ['a quotation mark that is not closed', lines('id,"na', '1,a', '2,b'), /:1:? header "\\"na\\n1,a\\n2,b\\n" starts with a quotation mark that is not closed/],
  ['a line break in a name', lines('id,"net\nweight",b', '1,2,3'), /column 2 "net\\nweight" has a line break, which is not allowed in the name of a column\. Rename it in the list, or add `--header-row 1 --columns 'id,net weight,b'`\.$/],
  ['a line break in a name, on Windows', 'id,"net\r\nweight"\r\n1,2\r\n', /has a line break, .* --columns 'id,net weight'`\.$/],
  ['a line break in a name, although the line is named', lines('id,"net\nweight"', '1,2'), /has a line break/, {isNamed: true}],
  ['a no-break space in a name', lines('id,\u00a0na\u200bme', '1,a', '2,b'), /:1: column 2 "\\u00a0na\\u200bme" has the invisible character U\+00A0 at position 1\. .*, or add `--header-row 1 --columns 'id,name'`\.$/],
  ['a quotation mark in a name', lines('id,"5"" disk"', '1,a', '2,b'), /column 2 "5\\" disk" is not a column name: .*\. Rename it in the list, or add `--header-row 1 --columns 'id,5 disk'`\.$/],
  ['a name that is too long', lines(`id,${'rarely-or-often '.repeat(8)}?`, '1,a', '2,b'), /column 2 .* --columns 'id,(rarely-or-often ){4}rarely-or-often'`\.$/],
  ['a name twice', lines('id,name,name', '1,a,b', '2,c,d'), /:1: column 3 "name" is also the name of column 2 .*\. Rename it in the list, or add `--header-row 1 --columns 'id,name,name_2'`\.$/],
  ['names that differ in case', lines('id,a,b,A,a_2,a', '1,p,q,r,s,t', '2,u,v,w,x,y'), /column 4 "A" is also the name of column 2 .* --columns 'id,a,b,A_2,a_2_2,a_3'`\.$/],
]; // prettier-ignore

describe('a CSV header is accepted with', () => {
  for (const [name, text, expected, options] of ACCEPTED)
    test(name, () => {
      assert.equal(header(text, options), expected);
    });
});

test('a CSV header is refused in another encoding, also if no line end follows', () => {
  for (const bytes of ['id,pa\xefs\n1,a\n', 'id,pa\xefs'])
    assert.match(header(Buffer.from(bytes, 'latin1')), /^x\.csv:1 has bytes that are not UTF-8/);
});

describe('a CSV header is refused, with the remedy, if there is', () => {
  for (const [name, text, says, options] of REFUSED)
    test(name, () => {
      assert.match(header(text, options), says);
      assert.doesNotMatch(header(text, options), /RFC 4180/);
    });
});

test('values with very many digits are compared in a short time', () => {
  const digits = `${'1'.repeat(120_000)}x`;
  const before = process.cpuUsage();
  assert.match(header(lines(`id,${digits}`, '1,a', '2,b')), /is not a column name/);
  const {user} = process.cpuUsage(before);
  assert.ok(user < 5_000_000, `${user / 1_000_000} s`);
});
