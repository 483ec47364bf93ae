// With a real Postgres and a real workerd.
import {servedHomes} from './homes.ts';
import {testLedgers} from './ledger-suite.ts';
import {testMigrations} from './migration-suite.ts';

testLedgers(servedHomes);
testMigrations(servedHomes);
