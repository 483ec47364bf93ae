// The native module is the slowest part of a start: whoever needs it imports this file then.
export {DuckDBInstance, DuckDBListVector} from '@duckdb/node-api';
