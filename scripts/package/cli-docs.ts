import {readFile, writeFile} from 'node:fs/promises';
import {environmentReference} from '../help/environment.ts';
import {errorReference} from '../help/errors.ts';
import {withSubcommands} from '../help/help.ts';
import {cliReference} from '../help/reference.ts';
import {createProgram} from '../program.ts';
import {PAGES_WITH_INSTALL, withInstall} from './install-docs.ts';

// Writes docs/cli.md, docs/environment.md, docs/errors.md, and the install instructions in the docs.
const program = createProgram(() => () => Promise.resolve());
await writeFile('docs/cli.md', cliReference(program));
await writeFile('docs/environment.md', environmentReference(withSubcommands(program)));
await writeFile('docs/errors.md', errorReference());
for (const page of PAGES_WITH_INSTALL) await writeFile(page, withInstall(await readFile(page, 'utf8')));
