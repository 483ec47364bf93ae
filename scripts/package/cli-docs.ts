import {writeFile} from 'node:fs/promises';
import {cliReference} from '../help/reference.ts';
import {createProgram} from '../program.ts';

// Writes the reference of the command line.
await writeFile('docs/cli.md', cliReference(createProgram(() => () => Promise.resolve())));
