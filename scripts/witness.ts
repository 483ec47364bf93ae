import {Command, Option} from '@commander-js/extra-typings';
import {buildCommand, siteRoot} from '../shared/command-line.ts';
import {keyFileOption, keystoreOption, passphraseFileOption} from './terminal/buyer-options.ts';
import {checked, rootOption, type Run} from './terminal/command.ts';
import {refuseIgnored} from './terminal/refuse-ignored.ts';
import {httpUrl} from './terminal/service-url.ts';

const USES = {
  '--tsa-ca': {with: '--tsa'},
  '--key-file': {with: '--rpc'},
  '--keystore': {with: '--rpc'},
  '--passphrase-file': {with: '--keystore'},
} as const;

/** `frozen witness`. Exit code: 0 confirmed, 1 a freeze is at fault or nobody confirmed it, 2 wrong usage. */
export const witness = (run: Run) =>
  new Command('witness')
    .summary('have others confirm that freezes exist')
    .description(
      'Has the last freeze of each source confirmed from outside, and keeps the proof in its folder witness/: a time stamp (RFC 3161), a transaction, or both. What is confirmed is the SHA-256 of datapackage.json, which names the digest of the rows; no row leaves this machine. The next build publishes the proofs. A proof that is there is kept, and nobody is asked for it again.',
    )
    .argument('[source]', 'only this source')
    .addOption(new Option('--tsa <url>', 'an authority that stamps digests').argParser(checked(address)))
    .option('--tsa-ca <file>', 'refuse a stamp that these certificates (PEM or DER) do not vouch for')
    .addOption(new Option('--rpc <url>', 'a node of the chain that is to hold the digest').argParser(checked(address)))
    .addOption(keyFileOption())
    .addOption(keystoreOption())
    .addOption(passphraseFileOption())
    .addOption(rootOption('data/'))
    .option('--json', 'the same for programs')
    .addHelpText(
      'after',
      `
With --rpc, the key comes from --key-file, from --keystore with --passphrase-file, WITNESS_PASSPHRASE
or a question on the terminal, or from WITNESS_KEY. Its account pays the gas of one transaction to
itself for each freeze, and needs no other money. The signed transaction is stored before it is sent:
a run that was cut off looks for it, or sends it again, and signs no second one. Only a transaction
that the chain reverted is replaced, once it has 64 confirmations. To have a freeze confirmed again,
delete the file of its proof first.

Exit codes: 0 confirmed, 1 a freeze is at fault or nobody confirmed it, 2 wrong usage.

Examples: frozen witness --tsa https://freetsa.org/tsr --tsa-ca freetsa-ca.pem
          frozen witness deny-list --rpc https://sepolia.base.org --key-file witness.key
`,
    )
    .action((source, {root: given, json, tsa, tsaCa, rpc, ...wallet}, command) =>
      run({json}, async ({out}) => {
        if (tsa === undefined && rpc === undefined)
          command.error("error: nobody is to confirm anything: give '--tsa <url>', '--rpc <url>' or both");
        refuseIgnored(command, USES);
        const root = siteRoot(given);
        const [{headsOf}, {witness}, {witnessesOf}] = await Promise.all([
          import('./witness/heads.ts'),
          import('./witness/witness.ts'),
          import('./verify/witness-checks.ts'),
        ]);
        const {trusted} = await witnessesOf({tsaCa});
        const freezes = await headsOf(root, source);
        const chain = rpc === undefined ? undefined : await chainOf(rpc, wallet);
        const confirmed = await witness({root, tsa, trusted, chain}, freezes);
        const lines = confirmed.map(
          ({source, date, file, says = 'has its proof already'}) => `${source} of ${date}: ${says}\n  ${file}`,
        );
        const text = [...lines, '', `Next: ${buildCommand(root)}`].join('\n');
        out.write(`${json ? JSON.stringify({ok: true, confirmed}, null, 2) : text}\n`);
        return 0;
      }),
    );

async function chainOf(rpc: string, options: Parameters<typeof import('./buy/wallet.ts').openWallet>[0]) {
  const [{openWallet}, {chainBy}] = await Promise.all([import('./buy/wallet.ts'), import('./witness/chain.ts')]);
  return chainBy(rpc, await openWallet(options, process.env, 'WITNESS'));
}

function address(text: string): string {
  if (text === '') throw new Error('It is empty.');
  return httpUrl(text);
}
