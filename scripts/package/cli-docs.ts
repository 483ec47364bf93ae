import {readFile, writeFile} from 'node:fs/promises';
import {errorReference} from '../help/errors.ts';
import {cliReference} from '../help/reference.ts';
import {createProgram} from '../program.ts';
import {PAGES_WITH_INSTALL, withInstall} from './install-docs.ts';

// Writes docs/cli.md, docs/errors.md, and the install instructions in the docs.
await writeFile('docs/cli.md', cliReference(createProgram(() => () => Promise.resolve())));
await writeFile('docs/errors.md', errorReference());
for (const page of PAGES_WITH_INSTALL) await writeFile(page, withInstall(await readFile(page, 'utf8')));
