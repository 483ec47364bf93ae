import {gzipSync} from 'node:zlib';
import {DENY_CSV} from '../site-fixture.ts';
import type {BadInput} from './bad-input.ts';
import {split} from './deny-list.ts';

const LFS_POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;

export const packed: readonly BadInput[] = [
  split(
    'a file that is not gzip',
    {'deny-list.csv.gz': DENY_CSV},
    'deny-list.csv.gz is not gzip: incorrect header check',
  ),
  split(
    'a truncated gzip file',
    {'deny-list.csv.gz': gzipSync(DENY_CSV).subarray(0, -12)},
    'deny-list.csv.gz is damaged gzip, is cut off, or has bytes after its end',
  ),
  split(
    'a gzip file with a wrong checksum',
    {'deny-list.csv.gz': gzipSync(DENY_CSV).fill(0, gzipSync(DENY_CSV).length - 8)},
    'deny-list.csv.gz is damaged gzip, is cut off, or has bytes after its end',
  ),
  split('an empty gzip file', {'deny-list.csv.gz': ''}, 'deny-list.csv.gz is not gzip: unexpected end of file'),
  ...['more', '\0', '\0\0\0more', 'x'.repeat(1 << 19)].map(more =>
    split(
      `a gzip file with ${JSON.stringify(more).slice(0, 20)} after its end`,
      {'deny-list.csv.gz': Buffer.concat([gzipSync(DENY_CSV), Buffer.from(more)])},
      'deny-list.csv.gz is damaged gzip, is cut off, or has bytes after its end',
    ),
  ),
  split(
    'a gzip file with a line end after its end',
    {'deny-list.csv.gz': Buffer.concat([gzipSync(DENY_CSV), Buffer.from('\n')])},
    'deny-list.csv.gz is damaged gzip, is cut off, or has bytes after its end',
  ),
  split(
    'a gzip file with a truncated second member',
    {'deny-list.csv.gz': Buffer.concat([gzipSync(DENY_CSV), gzipSync('x').subarray(0, 15)])},
    'deny-list.csv.gz is damaged gzip, is cut off, or has bytes after its end',
  ),
  split(
    'a Git LFS pointer',
    {'deny-list.csv': LFS_POINTER},
    'deny-list.csv is a Git LFS pointer: its content was not downloaded',
  ),
  split(
    'a Git LFS pointer in place of a gzip file',
    {'deny-list.csv.gz': LFS_POINTER},
    'deny-list.csv.gz is a Git LFS pointer: its content was not downloaded',
  ),
  split(
    'a Git LFS pointer in place of Parquet',
    {'deny-list.parquet': LFS_POINTER},
    'deny-list.parquet is a Git LFS pointer: its content was not downloaded',
    {format: 'parquet'},
  ),
  split(
    'a gzip file that does not say so',
    {'deny-list.csv': gzipSync(DENY_CSV)},
    /^data\/sources\/deny-list\/2026-05-01\/deny-list.csv:1: header .* is not url,class\n$/,
  ),
  split(
    'a bad row in a gzip file',
    {'deny-list.csv.gz': gzipSync(`${DENY_CSV}\nhttps://e.example/,ded\n`)},
    'deny-list.csv.gz:7: class "ded" is not one of fraud, dead, unable_verify, soft_fail',
  ),
  split(
    'a row that is too long by an empty value, packed',
    {'deny-list.csv.gz': gzipSync(`${DENY_CSV}https://e.example/,dead,\n`)},
    'deny-list.csv.gz:6: row "https://e.example/,dead," has too many values',
  ),
  split(
    'an uncompressed file after a gzip file',
    {'a.csv.gz': gzipSync(DENY_CSV), 'b.csv': 'url,class\nhttps://e.example/,dead\n'},
    'datapackage.json:7: resources[0].path ["a.csv.gz","b.csv"] has both gzip and plain files',
  ),
  split(
    'a gzip file after an uncompressed file',
    {'a.csv': DENY_CSV, 'b.csv.gz': gzipSync('url,class\nhttps://e.example/,dead\n')},
    'datapackage.json:7: resources[0].path ["a.csv","b.csv.gz"] has both gzip and plain files',
  ),
  split(
    'a last line of more than is read at a time, packed',
    {'deny-list.csv.gz': gzipSync(`${DENY_CSV}https://e.example/${'x'.repeat(5 << 20)},dead\n`)},
    'deny-list.csv.gz:6: record is longer than 1 MiB, the most that a record may have',
  ),
];
