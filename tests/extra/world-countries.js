import {createRequire} from 'node:module';

/** @type {readonly import('world-countries').Country[]} */
export const countries = createRequire(import.meta.url)('world-countries');
