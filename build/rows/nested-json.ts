import {ANY, DuckDBScalarFunction, VARCHAR, type DuckDBConnection, type DuckDBType} from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';

/** Adds `nested_json(value)` to SQL: the JSON text of a struct, map or list of Parquet. */
export function addNestedJson(connection: DuckDBConnection): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: 'nested_json',
      parameterTypes: [ANY],
      returnType: VARCHAR,
      mainFunction(_, chunk, answers) {
        const values = chunk.getColumnVector(0);
        for (let row = 0; row < chunk.rowCount; row++) {
          const value = values.getItem(row);
          answers.setItem(row, value === null ? null : nestedJson(values.type, value));
        }
        answers.flush();
      },
    }),
  );
}

/**
 * The JSON text of a nested value of Parquet, in which every value has the form that it has in a column of its own: DuckDB's `to_json`
 * writes timestamps and 32-bit floats differently. Values that JSON cannot hold are written as a text that is not JSON, which is refused.
 */
function nestedJson(type: DuckDBType, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if ('entryNames' in type) {
    const {entries} = value as {readonly entries: Readonly<Record<string, unknown>>};
    const members = type.entryNames.map((name, index) => {
      const member = type.entryTypes[index];
      return member ? `${JSON.stringify(name)}:${nestedJson(member, entries[name])}` : '';
    });
    return `{${members.join(',')}}`;
  }
  if ('keyType' in type) {
    const {entries} = value as {readonly entries: readonly {readonly key: unknown; readonly value: unknown}[]};
    const members = entries.map(
      ({key, value: found}) => `${keyOf(type.keyType, key)}:${nestedJson(type.valueType, found)}`,
    );
    return `{${members.join(',')}}`;
  }
  if ('valueType' in type) {
    const {items} = value as {readonly items: readonly unknown[]};
    return `[${items.map(item => nestedJson(type.valueType, item)).join(',')}]`;
  }
  return scalarJson(type.toString(), value);
}

/** A key as text, which a key of another type becomes in JSON. */
function keyOf(type: DuckDBType, key: unknown): string {
  const json = nestedJson(type, key);
  return json.startsWith('"') ? json : JSON.stringify(json);
}

function scalarJson(type: string, value: unknown): string {
  if (type === 'VARCHAR') return JSON.stringify(value);
  if (type === 'FLOAT') return numberJson(Number(bindings.get_varchar(bindings.create_float(Number(value)))));
  if (type === 'DOUBLE') return numberJson(Number(value));
  if (type === 'DATE') return calendarJson(String(value), '');
  if (type === 'TIMESTAMP WITH TIME ZONE' || type === 'TIMESTAMPTZ')
    // Without the zone of this process, which the driver adds.
    return calendarJson(momentOf((value as {readonly micros: bigint}).micros), 'Z');
  if (type.startsWith('TIMESTAMP')) return calendarJson(String(value).replace(' ', 'T'), '');
  return String(value);
}

function numberJson(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : String(value);
}

/** A moment in UTC, with the digits of its fraction that are not trailing zeros. */
function momentOf(micros: bigint): string {
  const second = 1_000_000n;
  const fraction = ((micros % second) + second) % second;
  const date = new Date(Number((micros - fraction) / 1000n));
  if (Number.isNaN(date.valueOf())) return 'infinity';
  const digits = fraction.toString().padStart(6, '0').replace(/0+$/, '');
  return date.toISOString().slice(0, -'.000Z'.length) + (digits === '' ? '' : `.${digits}`);
}

function calendarJson(text: string, zone: string): string {
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]+)?$/.test(text) ? `"${text}${zone}"` : `${text}${zone}`;
}
