import {countries as countryData} from '../extra/world-countries.js';
import type {List} from './list.ts';

/**
 * Countries (mledoze/countries, ODbL): objects in objects, arrays, and a country with an unknown state of independence.
 */
const rows = countryData.map(({cca3, name, tld, independent, status, currencies, capital, region, ...others}) => {
  const {languages, latlng, landlocked, borders, area} = others;
  return {
    ...{cca3, name, tld, independent, status, currencies, capital: capital[0] ?? null, region},
    ...{languages, latlng, landlocked, borders, area},
  };
});
/** At first without borders, and without the uninhabited part of the world. */
const earlier = rows
  .filter(({region}) => region !== 'Antarctic')
  .map(row => Object.fromEntries(Object.entries(row).filter(([member]) => member !== 'borders')));

function ndjson(list: readonly object[]): Uint8Array {
  return Buffer.from(list.map(row => `${JSON.stringify(row)}\n`).join(''));
}

/** A nested list. */
export const countries: List = {
  source: 'countries',
  file: 'countries.ndjson',
  first: {bytes: ndjson(earlier), args: []},
  second: {bytes: ndjson(rows), args: ['--add-column', 'borders', '--add-class', 'region=Antarctic']},
  products: {
    landlocked: {
      title: 'Landlocked',
      kind: 'class-share',
      column: 'landlocked',
      class: true,
      by: 'region',
      columns: ['cca3', 'name'],
      labels: {landlocked_ratio: 'Landlocked'},
      difference: 'reports the share of countries without a coast, by region',
    },
    eurasia: {
      title: 'Europe and Asia',
      kind: 'class-share',
      column: 'region',
      class: ['Europe', 'Asia'],
      as: 'eurasia',
      difference: 'reports the share of countries of one continent',
    },
    tongues: {
      title: 'Tongues',
      kind: 'query',
      parts: 'region',
      figures: `SELECT count(*) AS rows_n, count(*) FILTER (capital IS NULL) AS without_capital_n,
                  sum(len(json_keys(languages)))::INT AS languages_n FROM rows`,
      rows: `SELECT cca3, region, name->>'common' AS name, capital, languages FROM rows ORDER BY cca3`,
      difference: 'lists the languages of every country',
    },
  },
  laterProducts: {
    landlocked: {columns: ['cca3', 'name', 'borders']},
    borders: {
      title: 'Borders',
      kind: 'query',
      figures: 'SELECT count(*) AS rows_n, sum(json_array_length(borders))::INT AS borders_n FROM rows',
      document: `SELECT list({'country': cca3, 'neighbours': borders} ORDER BY cca3) AS graph,
                   max(area) AS largest_area FROM rows`,
      difference: 'gives the borders of all countries as one graph',
    },
  },
  breaking: ['eurasia', 'landlocked'],
  counted() {
    const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
    const share = (name: string, n: number) => ({[`${name}_n`]: n, [`${name}_ratio`]: n / rows.length});
    return {
      landlocked: share(
        'landlocked',
        sum(({landlocked}) => Number(landlocked)),
      ),
      eurasia: share(
        'eurasia',
        sum(({region}) => Number(['Europe', 'Asia'].includes(region))),
      ),
      tongues: {
        rows_n: rows.length,
        without_capital_n: sum(({capital}) => Number(capital === null)),
        languages_n: sum(({languages}) => Object.keys(languages).length),
      },
      borders: {rows_n: rows.length, borders_n: sum(({borders}) => borders.length)},
    };
  },
};
