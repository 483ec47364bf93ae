import {join} from 'node:path';
import {Command, Option} from '@commander-js/extra-typings';
import {fromHere, siteNamedToNpm, siteRoot} from '../shared/command-line.ts';
import {wrongUsage} from '../shared/fault.ts';
import {keyFileOption, keystoreOption, passphraseFileOption} from './terminal/buyer-options.ts';
import {helpEnd} from './help/help-end.ts';
import {checked, jsonOption, rootOption, signingKeyOption, type Run, type Terminal} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import type {Made} from './sign/make.ts';

export const sign = (run: Run) =>
  new Command('sign')
    .summary('sign the catalogue, create signing keys, prove ownership')
    .description(
      'Signs the catalogue with a key of the site, so that buyers can check who published it, creates such keys, and proves that the payee owns the site. Nothing leaves this machine.',
    )
    .addCommand(newKey(run))
    .addCommand(catalogue(run))
    .addCommand(nextKey(run))
    .addCommand(ownership(run))
    .addHelpText('after', helpEnd('0 signed or created, 1 refused', 'sign new-key --write'));

const catalogue = (run: Run) =>
  new Command('catalogue')
    .summary('sign the catalogue')
    .description(
      'Signs public/api/v1/index.json, which contains the digests of all other files, with the key of the site. The signature is index.json.jws, a detached JWS (RFC 7515, 7797). The same bytes always have the same signature.',
    )
    .addOption(signingKeyOption())
    .addOption(rootOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The key is read from --signing-key-file, or from FROZEN_SIGNING_KEY, which contains the JSON of the key. The
passphrase of an encrypted key is read from FROZEN_SIGNING_PASSPHRASE, or asked for on the terminal.

Exit codes: 0 signed, 1 refused, 2 wrong usage.

Example: frozen sign catalogue --signing-key-file signing.key
`,
    )
    .action(options =>
      run(options, async terminal => {
        const root = siteRoot(options.root);
        const [{openSigningKey}, {signSite}] = await Promise.all([
          import('./sign/open-signing-key.ts'),
          import('./sign/sign-site.ts'),
        ]);
        const key = await openSigningKey(options, process.env);
        const fix = 'Use --signing-key-file, or the variable FROZEN_SIGNING_KEY_FILE or FROZEN_SIGNING_KEY.';
        if (!key) throw wrongUsage({code: 'FZ903', subject: 'The signing key', rule: 'is missing', fix});
        const signed = await signSite(root, key);
        terminal.print(signed, `${signed.changed ? 'signed' : 'already signed'}: ${signed.file}, by ${signed.kid}`);
      }),
    );

const KEY_CODES = '0 created, 1 refused';
const PASSPHRASE = '\nThe passphrase is read from FROZEN_SIGNING_PASSPHRASE, or asked for on the terminal.\n';

const newKey = (run: Run) =>
  maker('new-key', 'signing.key')
    .summary('create the first key of a site')
    .description(
      'Creates the key (Ed25519) that signs the catalogue, in a file that only you can read, and prints its public half for data/site.json.',
    )
    .addHelpText('after', helpEnd(KEY_CODES, 'sign new-key --write', PASSPHRASE))
    .action((options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, [!options.write, ['--root'], {requires: '--write'}]);
        const {makeFirst} = await import('./sign/make.ts');
        printKey(await makeFirst(options, process.env), terminal);
      }),
    );

const nextKey = (run: Run) =>
  maker('next-key', 'next-signing.key')
    .summary('create the next key, signed by the current key')
    .description(
      'Creates the next key of a site. The current key signs it, so that buyers who know the current key also trust the next one. Both stay in the JWK set.',
    )
    .addOption(signingKeyOption())
    .option('--lost', 'the current key is lost: buyers who know it will have to confirm the new key with you')
    .addHelpText('after', helpEnd(KEY_CODES, 'sign next-key --signing-key-file signing.key --write', PASSPHRASE))
    .action((options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, [Boolean(options.lost), ['--signing-key-file'], 'cannot be used with --lost']);
        const {makeNext} = await import('./sign/make.ts');
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

const ownership = (run: Run) =>
  new Command('ownership')
    .summary('prove that the payee owns the site')
    .description(
      'Signs the base_url with the key of a payee and writes the signature into data/site.json. The next build puts it into openapi.json, where directories such as x402scan look for it. Nothing is paid, and nothing leaves this machine.',
    )
    .addOption(keyFileOption())
    .addOption(keystoreOption())
    .addOption(passphraseFileOption())
    .addOption(
      new Option('--signature <hex>', 'a signature (EIP-191) by another program or device')
        .argParser(checked(signature))
        .conflicts(['keyFile', 'keystore']),
    )
    .addOption(
      new Option('--print-message', 'only print the text to sign').conflicts(['keyFile', 'keystore', 'signature']),
    )
    .addOption(rootOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The key is read from --key-file, from --keystore, or from FROZEN_PAYEE_KEY. The passphrase of a keystore is
read from --passphrase-file or FROZEN_PAYEE_PASSPHRASE, or asked for on the terminal. If the key is on another
device, sign the text of --print-message there, and pass the result to --signature. A contract wallet cannot
make this signature.

Exit codes: 0 signed, 1 the key or signature does not belong to a payee, 2 wrong usage.

Examples: frozen sign ownership --key-file payee.key
          frozen sign ownership --signature "$(cast wallet sign --ledger "$(frozen sign ownership --print-message)")"
`,
    )
    .action((options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, [!options.keystore, ['--passphrase-file'], {requires: '--keystore'}]);
        const root = siteRoot(options.root);
        const {readUnproven, keepProof} = await import('./sign/ownership-proof.ts');
        const unproven = readUnproven(root);
        const {base_url: message} = unproven.site;
        if (options.printMessage) {
          terminal.print({message}, message);
          return 0;
        }
        const {openWallet} = await import('./wallet/open-wallet.ts');
        const proof =
          options.signature ?? (await (await openWallet(options, process.env, 'PAYEE')).signMessage({message}));
        const {pay_to} = await keepProof(root, unproven, proof);
        const words = `The proof that ${pay_to} owns ${message} is in data/site.json.\nNext: frozen build`;
        terminal.print({message, pay_to, proof}, words);
        return 0;
      }),
    );

function signature(text: string): `0x${string}` {
  const [, digits] = /^0x([0-9a-f]{130})$/i.exec(text.trim()) ?? [];
  if (digits === undefined) throw new Error('Expected 0x and 130 hexadecimal digits.');
  return `0x${digits}`;
}
