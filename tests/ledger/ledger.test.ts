import {embeddedBackends} from './backends.ts';
import {testLedgers} from './ledger-suite.ts';
import {testMigrations} from './migration-suite.ts';

testLedgers(embeddedBackends);
testMigrations(embeddedBackends);
