import {Command, Option} from '@commander-js/extra-typings';
import {siteRoot} from '../../shared/command-line.ts';
import {keyFileOption, keystoreOption, passphraseFileOption} from '../terminal/buyer-options.ts';
import {checked, jsonOption, rootOption, type Run} from '../terminal/command.ts';
import {refuseIgnored} from '../terminal/refuse-ignored.ts';

export const ownership = (run: Run) =>
  new Command('ownership')
    .summary('prove that the payee owns the site')
    .description(
      'Signs the base_url with the key of a payee and writes the signature into data/site.json. The next build puts it into openapi.json, where x402scan and agentcash look for it. Nothing is paid, and nothing leaves this machine.',
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
device, sign the text of --print-message there, and give the result as --signature. A contract wallet cannot
give this proof.

Exit codes: 0 signed, 1 the key or signature does not belong to a payee, 2 wrong usage.

Examples: frozen sign ownership --key-file payee.key
          frozen sign ownership --signature "$(cast wallet sign --ledger "$(frozen sign ownership --print-message)")"
`,
    )
    .action((options, command) =>
      run(options, async terminal => {
        refuseIgnored(command, {'--passphrase-file': {with: '--keystore'}});
        const root = siteRoot(options.root);
        const {readUnproven, keepProof} = await import('./ownership-proof.ts');
        const unproven = readUnproven(root);
        const {base_url: message} = unproven.site;
        if (options.printMessage) {
          terminal.print({message}, message);
          return 0;
        }
        const {openWallet} = await import('../wallet/open-wallet.ts');
        const proof =
          options.signature ?? (await (await openWallet(options, process.env, 'PAYEE')).signMessage({message}));
        const {pay_to} = await keepProof(root, unproven, proof);
        const words = `${message} is proved to be of ${pay_to}: data/site.json\nNext: frozen build`;
        terminal.print({message, pay_to, proof}, words);
        return 0;
      }),
    );

function signature(text: string): `0x${string}` {
  const [, digits] = /^0x([0-9a-f]{130})$/i.exec(text.trim()) ?? [];
  if (digits === undefined) throw new Error('Expected 0x and 130 hexadecimal digits.');
  return `0x${digits}`;
}
