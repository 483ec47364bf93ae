// The backends here are a real Postgres and a real workerd.
import {serverBackends} from './backends.ts';
import {testLedgers} from './ledger-suite.ts';
import {testMigrations} from './migration-suite.ts';

testLedgers(serverBackends);
testMigrations(serverBackends);
