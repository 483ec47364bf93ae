import {stringify} from 'csv-stringify/sync';
import spdx from '../extra/spdx-license-list.js';
import type {List} from './list.ts';

const COPYLEFT = /^(A|L)?GPL-|^GFDL-|^EUPL-|^MPL-/;

interface Licence {
  readonly licenseId: string;
  readonly name: string;
  readonly url: string | undefined;
  readonly osi: string;
  readonly family: string;
}

/** Licences of the SPDX list (CC0): names with quotes and commas, licences without an address. */
const rows = Object.entries(spdx).map(([licenseId, {name, url, osiApproved}]): Licence => ({
  licenseId,
  name,
  url: url || undefined,
  osi: osiApproved ? 'osi-approved' : 'not-reviewed',
  family: COPYLEFT.test(licenseId) ? 'copyleft' : 'other',
}));
/** Later some are withdrawn, which is a new class of the list. */
const later = rows.map(row => (row.licenseId.endsWith('+') ? {...row, osi: 'withdrawn'} : row));

function csv(list: readonly Licence[], columns: readonly (keyof Licence)[]): Uint8Array {
  return Buffer.from(stringify([...list], {header: true, columns: [...columns]}));
}

/** A CSV file with quotes and missing values. */
export const licences: List = {
  source: 'licences',
  file: 'licences.csv',
  first: {bytes: csv(rows, ['licenseId', 'name', 'url', 'osi']), args: []},
  second: {
    bytes: csv(later, ['licenseId', 'name', 'url', 'osi', 'family']),
    args: ['--add-column', 'family', '--add-class', 'osi=withdrawn'],
  },
  products: {
    osishare: {
      title: 'OSI Approved',
      kind: 'class-share',
      column: 'osi',
      class: 'osi-approved',
      columns: ['licenseId', 'name'],
      labels: {osi_approved_ratio: 'Approved by the OSI'},
      difference: 'reports the share of approved licences',
    },
    closed: {
      title: 'Not Approved',
      kind: 'class-share',
      column: 'osi',
      class: ['not-reviewed'],
      as: 'closed',
      difference: 'reports the share of licences that are not approved',
    },
    noaddress: {
      title: 'Without an Address',
      kind: 'query',
      figures: 'SELECT count(*) AS rows_n, count(*) FILTER (url IS NULL) AS without_url_n FROM rows',
      rows: 'SELECT licenseId, name, url FROM rows WHERE url IS NULL ORDER BY licenseId',
      difference: 'lists the licences that have no address',
    },
    quoted: {
      title: 'Quoted Names',
      kind: 'query',
      formats: ['json', 'csv', 'parquet'],
      figures: `SELECT count(*) AS rows_n, count(*) FILTER (name LIKE '%"%') AS quoted_n FROM rows`,
      rows: `SELECT licenseId, name FROM rows WHERE name LIKE '%"%' ORDER BY licenseId`,
      difference: 'lists the licences with quotes in their names',
    },
  },
  laterProducts: {
    closed: {class: ['not-reviewed', 'withdrawn'], by: 'family'},
  },
  breaking: ['closed'],
  counted() {
    const count = (test: (row: Licence) => boolean, list = later) => list.filter(test).length;
    const approved = count(({osi}) => osi === 'osi-approved');
    const closed = later.length - approved;
    return {
      osishare: {
        rows_n: later.length,
        osi_approved_n: approved,
        osi_approved_ratio: approved / later.length,
        counts: {
          'not-reviewed': count(({osi}) => osi === 'not-reviewed'),
          'osi-approved': approved,
          withdrawn: count(({osi}) => osi === 'withdrawn'),
          total: later.length,
        },
      },
      closed: {closed_n: closed, closed_ratio: closed / later.length},
      noaddress: {rows_n: later.length, without_url_n: count(({url}) => url === undefined)},
      quoted: {rows_n: later.length, quoted_n: count(({name}) => name.includes('"'))},
    };
  },
};
