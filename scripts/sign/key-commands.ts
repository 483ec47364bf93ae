import {join} from 'node:path';
import {Command} from '@commander-js/extra-typings';
import {fromHere, siteNamedToNpm} from '../../shared/command-line.ts';
import type {Made} from './make.ts';
import {jsonOption, rootOption, signingKeyOption, type Run, type Terminal} from '../terminal/command.ts';
import {refuseIgnored} from '../terminal/refuse-ignored.ts';

const EXIT_CODES = '\nExit codes: 0 created, 1 refused, 2 wrong usage.\n';
const PASSPHRASE = 'The passphrase is read from FROZEN_SIGNING_PASSPHRASE, or asked for on the terminal.';

export const newKey = (run: Run) =>
  maker('new-key', 'signing.key')
    .summary('create the first key of a site')
    .description(
      'Creates the key (Ed25519) that signs the catalogue, in a file that only you can read, and prints its public half for data/site.json.',
    )
    .addHelpText('after', `\n${PASSPHRASE}\n${EXIT_CODES}\nExample: frozen sign new-key --write\n`)
    .action((options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, {'--root': {with: '--write'}});
        const {makeFirst} = await import('./make.ts');
        printKey(await makeFirst(options, process.env), terminal);
      }),
    );

export const nextKey = (run: Run) =>
  maker('next-key', 'next-signing.key')
    .summary('create the next key, signed by the current key')
    .description(
      'Creates the next key of a site. The current key signs it, so that buyers who know the current key also trust the next one. Both stay in the JWK set.',
    )
    .addOption(signingKeyOption())
    .option('--lost', 'the current key is lost: buyers who know it will have to confirm the new key with you')
    .addHelpText(
      'after',
      `\n${PASSPHRASE}\n${EXIT_CODES}\nExample: frozen sign next-key --signing-key-file signing.key --write\n`,
    )
    .action((options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, {'--signing-key-file': {without: ['--lost']}});
        const {makeNext} = await import('./make.ts');
        printKey(await makeNext(options, process.env), terminal);
      }),
    );

/** Returns a command that creates a key, with the options that all have. */
function maker(name: string, file: string) {
  return new Command(name)
    .option(
      '--output <file>',
      'the file for the private key; an existing file is never overwritten',
      join(siteNamedToNpm() ?? '', file),
    )
    .option('--passphrase', 'encrypt the private key with a passphrase (JWE, PBES2-HS256+A128KW)')
    .option('--write', 'also write the public half into data/site.json')
    .addOption(rootOption())
    .addOption(jsonOption());
}

export type KeyOptions = ReturnType<ReturnType<typeof maker>['opts']>;

function printKey({file, signing, written, committed}: Made, terminal: Terminal): void {
  const member = JSON.stringify({signing}, null, 2).split('\n').slice(1, -1);
  const lines = [
    `The private key ${signing.kid} is in ${fromHere(file)}: keep a copy in another place, and keep it secret.`,
    ...(committed ? ['git would commit it: add it to .gitignore, or move it out of the repository.'] : []),
    written ? 'data/site.json names it now:' : 'Put this into data/site.json:',
    ...member,
    `Next: frozen build, and frozen sign catalogue --signing-key-file ${fromHere(file)}`,
  ];
  terminal.print({file, signing, written, committed}, lines.join('\n'));
}
