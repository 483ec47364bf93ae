import {load} from './compiled.js';

// What a worker thread of a compiled build runs.

const {exports} = await load('build/source/worker.ts');
export default exports.default;
