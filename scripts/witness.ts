import {Command, Option} from '@commander-js/extra-typings';
import {buildCommand, siteRoot} from '../shared/command-line.ts';
import {keyFileOption, keystoreOption, passphraseFileOption} from './terminal/buyer-options.ts';
import {wrongUsage} from '../shared/fault.ts';
import {checked, jsonOption, rootOption, rpcUrlOption, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {httpUrl} from '../shared/service-url.ts';

export const witness = (run: Run) =>
  new Command('witness')
    .summary('get independent proofs of when freezes existed')
    .description(
      'Gets a proof that the last freeze of each source exists, and saves it in the folder witness/ of the freeze: a timestamp (RFC 3161), a transaction, or both. The proof is over the SHA-256 of datapackage.json, which contains the digest of the rows; no row leaves this machine. The next build publishes the proofs. An existing proof is kept, and not requested again.',
    )
    .argument('[source]', 'only the freezes of this source')
    .addOption(new Option('--tsa <url>', 'the address of a timestamp authority').argParser(checked(httpUrl)))
    .option('--tsa-ca <file>', 'accept only timestamps that these certificates (PEM or DER) verify')
    .addOption(rpcUrlOption('a node of the chain on which to record the digest'))
    .addOption(keyFileOption())
    .addOption(keystoreOption())
    .addOption(passphraseFileOption())
    .addOption(rootOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
With a node, the key is read from --key-file, from --keystore, or from FROZEN_WITNESS_KEY. The passphrase
of a keystore is read from --passphrase-file or FROZEN_WITNESS_PASSPHRASE, or asked for on the terminal.
With --tsa and without a key, only timestamps are requested, even if FROZEN_RPC_URL is set. For each
freeze, the account of the key sends one transaction to itself and pays only its gas. The signed
transaction is stored before it is sent: after an interruption, the next run looks for it or sends it
again, and does not sign a second one. To get another proof of a freeze, delete the file of its proof
first.

Exit codes: 0 confirmed, 1 a freeze is wrong or could not be confirmed, 2 wrong usage.

Examples: frozen witness --tsa https://freetsa.org/tsr --tsa-ca freetsa-ca.pem
          frozen witness deny-list --rpc-url https://sepolia.base.org --key-file witness.key
`,
    )
    .action((source, {root: given, json, tsa, tsaCa, rpcUrl, ...wallet}, command) =>
      run({json}, async terminal => {
        if (tsa === undefined && !rpcUrl) {
          const rule = 'cannot be confirmed without an authority or a node';
          const fix = 'Add `--tsa`, `--rpc-url` or both.';
          throw wrongUsage({code: 'FZ903', subject: 'The freezes', rule, fix});
        }
        refuseIgnored(
          command,
          [tsa === undefined, ['--tsa-ca'], {requires: '--tsa'}],
          [!rpcUrl, ['--key-file', '--keystore'], {requires: '--rpc-url'}],
          [!wallet.keystore, ['--passphrase-file'], {requires: '--keystore'}],
        );
        const root = siteRoot(given);
        const [{authority, headsOf, witness}, {witnessesOf}] = await Promise.all([
          import('./witness/witness.ts'),
          import('../buyer/verify/witness-checks.ts'),
        ]);
        const {trusted} = await witnessesOf({tsaCa});
        const freezes = await headsOf(root, source);
        // The variable is also used by other commands. With --tsa, only a key shows that a transaction is wanted.
        const hasKey = Boolean(wallet.keyFile ?? wallet.keystore ?? process.env['FROZEN_WITNESS_KEY']);
        const isForOthers = command.getOptionValueSource('rpcUrl') === 'env' && tsa !== undefined && !hasKey;
        const chain = !rpcUrl || isForOthers ? undefined : await chainOf(rpcUrl, wallet);
        const witnesses = [...(tsa === undefined ? [] : [authority(tsa, trusted)]), ...(chain ? [chain] : [])];
        const confirmed = await witness(root, witnesses, freezes);
        const lines = confirmed.map(
          ({source, date, file, says = 'already has its proof'}) => `${source} of ${date}: ${says}\n  ${file}`,
        );
        const text = [...lines, '', `Next: ${buildCommand(root)}`].join('\n');
        terminal.print({confirmed}, text);
      }),
    );

async function chainOf(rpcUrl: string, options: Parameters<typeof import('./wallet/open-wallet.ts').openWallet>[0]) {
  const [{openWallet}, {chainBy}] = await Promise.all([
    import('./wallet/open-wallet.ts'),
    import('./witness/chain.ts'),
  ]);
  return chainBy(rpcUrl, await openWallet(options, process.env, 'WITNESS'));
}
