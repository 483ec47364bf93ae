import Connection from 'libsql';
import {gzipSync} from 'node:zlib';
import type {List} from './list.ts';

const ROWS = 60_000;
const REGIONS = ['north', 'east', 'south', 'west'] as const;
const STATES = ['ok', 'ok', 'ok', 'drifting', 'failed'] as const;

interface Reading {
  readonly id: string;
  readonly region: string;
  readonly state: string;
  /** With more digits than a double holds. */
  readonly volts: string;
}

/** A number before its point, and two times nine digits behind it. */
type Digits = Readonly<Record<'whole' | 'high' | 'low', number>>;

/** Readings of sensors, the same every time: a linear congruential generator. */
function* readingsOf(isLater: boolean): Generator<Reading> {
  let seed = 402;
  const below = (limit: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  for (let n = 0; n < ROWS; n++) {
    const [region = '', state = ''] = [REGIONS[below(4)], STATES[below(5)]];
    const digits = `${below(1e9)}`.padStart(9, '0') + `${below(1e9)}`.padStart(9, '0');
    const volts = `${below(100)}.${digits}`;
    yield {id: `s${String(n).padStart(7, '0')}`, region, state: isLater && n % 1000 === 7 ? 'lost' : state, volts};
  }
}

function csv(isLater: boolean): Uint8Array {
  const lines = ['id,region,state,volts'];
  for (const {id, region, state, volts} of readingsOf(isLater)) lines.push(`${id},${region},${state},${volts}`);
  return gzipSync(`${lines.join('\n')}\n`);
}

/** Enough rows for several parts. */
export const readings: List = {
  source: 'readings',
  file: 'readings.csv.gz',
  get first() {
    return {bytes: csv(false), args: ['--primary-key', 'id']};
  },
  get second() {
    return {bytes: csv(true), args: ['--add-class', 'state=lost']};
  },
  products: {
    failed: {
      title: 'Failed',
      kind: 'class-share',
      column: 'state',
      class: 'failed',
      by: 'region',
      max_rows: 1000,
      difference: 'reports the share of sensors that have failed, by region',
    },
    drifting: {
      title: 'Drifting',
      kind: 'query',
      parts: 5_000,
      figures: `SELECT count(*) AS rows_n, count(*) FILTER (state = 'drifting') AS drifting_n FROM rows`,
      rows: `SELECT id, region, volts FROM rows WHERE state = 'drifting' ORDER BY id`,
      max_rows: 1000,
      difference: 'lists the sensors that drift',
    },
    volts: {
      title: 'Volts',
      kind: 'query',
      formats: ['json', 'parquet'],
      figures: `SELECT max(volts)::VARCHAR AS most, sum(volts)::VARCHAR AS total FROM rows`,
      rows: `SELECT region, sum(volts) AS total FROM rows GROUP BY region ORDER BY region`,
      difference: 'adds the readings up, to the last digit',
    },
  },
  laterProducts: {
    lost: {
      title: 'Lost',
      kind: 'class-share',
      column: 'state',
      class: 'lost',
      parts: 'region',
      difference: 'lists the sensors that are lost',
    },
  },
  breaking: [],
  counted() {
    const database = new Connection(':memory:');
    // The digits behind the point in two columns: SQLite's whole numbers do not hold the sum of all.
    database.exec('CREATE TABLE readings (state TEXT, whole INTEGER, high INTEGER, low INTEGER)');
    const insert = database.prepare('INSERT INTO readings VALUES (?, ?, ?, ?)');
    database.exec('BEGIN');
    for (const {state, volts} of readingsOf(true)) {
      const [whole, part = ''] = volts.split('.');
      insert.run(state, Number(whole), Number(part.slice(0, 9)), Number(part.slice(9)));
    }
    database.exec('COMMIT');
    const count = (state: string) =>
      (database.prepare('SELECT count(*) AS n FROM readings WHERE state = ?').get(state) as {n: number}).n;
    const [failed, drifting, lost] = [count('failed'), count('drifting'), count('lost')];
    const sum = database.prepare('SELECT sum(whole) AS whole, sum(high) AS high, sum(low) AS low FROM readings').get();
    const most = database.prepare('SELECT * FROM readings ORDER BY whole DESC, high DESC, low DESC LIMIT 1').get();
    database.close();
    return {
      failed: {rows_n: ROWS, failed_n: failed, failed_ratio: failed / ROWS},
      lost: {lost_n: lost, lost_ratio: lost / ROWS},
      drifting: {rows_n: ROWS, drifting_n: drifting},
      volts: {most: text(most as Digits), total: text(sum as Digits)},
    };
  },
};

function text({whole, high, low}: Digits): string {
  const digits = String(BigInt(whole) * 10n ** 18n + BigInt(high) * 10n ** 9n + BigInt(low)).padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
}
