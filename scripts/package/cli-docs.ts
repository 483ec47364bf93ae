import {writeFile} from 'node:fs/promises';
import {environmentReference} from '../help/environment.ts';
import {errorReference} from '../help/errors.ts';
import {withSubcommands} from '../help/help.ts';
import {cliReference} from '../help/reference.ts';
import {createProgram} from '../program.ts';

// Writes docs/cli.md, docs/environment.md and docs/errors.md.
const program = createProgram(() => () => Promise.resolve());
await writeFile('docs/cli.md', cliReference(program));
await writeFile('docs/environment.md', environmentReference(withSubcommands(program)));
await writeFile('docs/errors.md', errorReference());
