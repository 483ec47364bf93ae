import {ownHomes} from './homes.ts';
import {testLedgers} from './ledger-suite.ts';
import {testMigrations} from './migration-suite.ts';

testLedgers(ownHomes);
testMigrations(ownHomes);
