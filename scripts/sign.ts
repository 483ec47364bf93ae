import {Command} from '@commander-js/extra-typings';
import {siteRoot} from '../shared/command-line.ts';
import {jsonOption, rootOption, signingKeyOption, type Run} from './terminal/command.ts';
import {newKey, nextKey} from './sign/key-commands.ts';
import {ownership} from './sign/ownership-command.ts';

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
    .addHelpText(
      'after',
      '\nExit codes: 0 signed or created, 1 refused, 2 wrong usage.\n\nExample: frozen sign new-key --write\n',
    );

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
        const [{openSigningKey}, {signSite}, {InputError}] = await Promise.all([
          import('./sign/open-signing-key.ts'),
          import('./sign/sign-site.ts'),
          import('../shared/fault.ts'),
        ]);
        const key = await openSigningKey(options, process.env);
        const fix = 'Use --signing-key-file, or the variable FROZEN_SIGNING_KEY_FILE or FROZEN_SIGNING_KEY.';
        if (!key)
          throw new InputError({code: 'FZ903', subject: 'The signing key', rule: 'is missing', fix}, {ofUsage: true});
        const signed = await signSite(root, key);
        terminal.print(signed, `${signed.changed ? 'signed' : 'signed already'}: ${signed.file}, by ${signed.kid}`);
      }),
    );
