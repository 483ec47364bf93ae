import {resolve} from 'node:path';

/** The folder of the project. Its `data/` and `public/` are the publisher's: tests that expect certain figures read the example. */
export const PROJECT = resolve(import.meta.dirname, '..');
