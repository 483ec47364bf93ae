import {spawnSync} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as esbuild from 'esbuild';
import {PROJECT} from '../../scripts/package/entries.js';

/** A fault that is put into a copy of the code, to see that the simulator finds it. */
interface Mutant {
  readonly fault: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const sales = 'paywall/payments/sales';
const MUTANTS: readonly Mutant[] = [
  {
    fault: 'any reason of a facilitator is a refusal',
    file: 'paywall/payments/facilitator/http-facilitator.ts',
    from: `transaction === '' && BEFORE_BROADCAST.has(reason)`,
    to: 'true',
  },
  {
    fault: 'an incomplete answer to a settlement means that no money moved',
    file: 'paywall/payments/facilitator/http-facilitator.ts',
    from: `error instanceof KeyRefused || neverConnected(error) ? 'unavailable' : 'unknown'`,
    to: `'unavailable'`,
  },
  {
    fault: 'a request that is older than the last delivery is charged',
    file: 'paywall/http/purchase.ts',
    from: 'Lease.start(ledger, sale, arrivedAt)',
    to: 'Lease.start(ledger, sale, performance.now())',
  },
  {
    fault: 'a ledger that writes late does not look back far enough for deliveries',
    file: `${sales}/lease.ts`,
    from: 'answeredAt - askedAt >= QUICK_MS &&',
    to: 'false &&',
  },
  {
    fault: 'a payment that the chain shows as used proves its sender',
    file: `${sales}/entitlement.ts`,
    from: 'isSame || isProven\n',
    to: 'true\n',
  },
  {
    fault: 'a copied payment without its idempotency key is the same payment',
    file: `${sales}/terms.ts`,
    from: 'sale.paymentId !== null && sale.paymentId === id',
    to: 'true',
  },
  {
    fault: 'every signature is that of the payer’s key',
    file: 'paywall/payments/chain/signature.ts',
    from: 'return signer.toLowerCase() === address.toLowerCase();',
    to: 'return signer.length > 0;',
  },
  {
    fault: 'every contract wallet accepts every signature',
    file: 'paywall/payments/chain/signature.ts',
    from: `isSigned ? 'contract' : 'forged'`,
    to: `'contract'`,
  },
  {
    fault: 'a used nonce is a payment',
    file: 'paywall/payments/chain/authorization-status.ts',
    from: 'return outcome.isPaid\n',
    to: 'return true\n',
  },
  {
    fault: 'a sale that is unpaid is never looked at again',
    file: `${sales}/reconcile.ts`,
    from: `['delivered', 'expired', 'unpaid', 'declined']`,
    to: `['delivered', 'expired']`,
  },
  {
    fault: 'anyone may take a lease',
    file: 'paywall/ledger/sql-ledger.ts',
    from: '${isIn(states)} AND leased_until < ${this.database.now} RETURNING',
    to: '${isIn(states)} RETURNING',
  },
  {
    fault: 'a lost lease still writes',
    file: 'paywall/ledger/sql-ledger.ts',
    from: 'WHERE key = ? AND holder = ? AND ${isIn(statesBefore(move.to))}',
    to: `WHERE key = ? AND coalesce(?, '') <> '' AND \${isIn(statesBefore(move.to))}`,
  },
  {
    fault: 'a payer may have two open sales of a document',
    file: 'paywall/ledger/schema.ts',
    from: `\`CREATE UNIQUE INDEX open_sales ON sales (network, payer, url) WHERE state IN ('pending', 'settled') AND proven = 1\`,`,
    to: '',
  },
  {
    fault: 'a settlement without an answer is a success',
    file: `${sales}/settle.ts`,
    from: '      return lookForMoney(lease, services);',
    to: `      return settled(lease, receiptOf(lease.sale, ''), services);`,
  },
  {
    fault: 'a node that is behind proves that nothing was paid',
    file: `${sales}/settle.ts`,
    from: 'isOverAt(status.at, lease.sale) ? unpaid(lease, NEVER_SETTLED) : undefined',
    to: 'unpaid(lease, NEVER_SETTLED)',
  },
  {
    fault: 'a sale without an answer is forgotten',
    file: `${sales}/settle.ts`,
    from: `  await lease.moveAndRelease({to: 'pending'});\n`,
    to: '  await lease.withdraw();\n',
  },
  {
    fault: 'an open sale is not collected',
    file: `${sales}/entitlement.ts`,
    from: `  if (open) return {kind: 'collect', sale: open, isSame: false};\n`,
    to: '',
  },
  {
    fault: 'an authorization may be recorded twice',
    file: 'paywall/ledger/sql-ledger.ts',
    from: 'ON CONFLICT DO NOTHING RETURNING key',
    to: 'ON CONFLICT (key) DO UPDATE SET holder = excluded.holder RETURNING key',
  },
  {
    fault: 'two sales may have one idempotency key',
    file: 'paywall/ledger/schema.ts',
    from: `'CREATE UNIQUE INDEX payment_ids ON sales (payment_id) WHERE payment_id IS NOT NULL',`,
    to: '',
  },
  {
    fault: 'a sale in any state may be leased',
    file: 'paywall/ledger/sql-ledger.ts',
    from: 'WHERE key = ? AND ${isIn(states)} AND leased_until',
    to: 'WHERE key = ? AND leased_until',
  },
  {
    fault: 'a lost lease is renewed',
    file: 'paywall/ledger/sql-ledger.ts',
    from: 'WHERE key = ? AND holder = ? RETURNING key',
    to: `WHERE key = ? AND coalesce(?, '') <> '' RETURNING key`,
  },
  {
    fault: 'a lost lease still deletes',
    file: 'paywall/ledger/sql-ledger.ts',
    from: `WHERE key = ? AND holder = ? AND state = 'pending'`,
    to: `WHERE key = ? AND coalesce(?, '') <> ''`,
  },
  {
    fault: 'without a node, no answer means that the payment was made before',
    file: `${sales}/settle.ts`,
    from: '  if (!isOverAt(clock(), sale)) return open(lease);',
    to: `  if (settlement.kind === 'unknown') return settled(lease, receiptOf(sale, ''), services);`,
  },
  {
    fault: 'without a node, the facilitator proves who pays',
    file: `${sales}/entitlement.ts`,
    from: `      return {kind: 'none'};\n  }\n}\n\n/** Why a payment that is not settled`,
    to: '      return undefined;\n  }\n}\n\n/** Why a payment that is not settled',
  },
  {
    fault: 'the facilitator proves who pays',
    file: 'paywall/http/purchase.ts',
    from: `if (signer === 'forged') return {kind: 'invalid', reason: INVALID_SIGNATURE};`,
    to: '',
  },
  {
    fault: 'a transfer to another payee is a payment',
    file: 'paywall/payments/chain/authorization-status.ts',
    from: 'isAddressEqual(args.to, payTo as Address) &&',
    to: '',
  },
  {
    fault: 'every block is final',
    file: `${sales}/reconcile.ts`,
    from: 'return status.isFinal;',
    to: 'return true;',
  },
  {
    fault: 'a sign-in works more than once',
    file: 'paywall/payments/protocol/sign-in.ts',
    from: `? undefined : 'invalid_siwx_nonce';\n}\n\nasync function contractFault`,
    to: `? undefined : undefined;\n}\n\nasync function contractFault`,
  },
  {
    fault: 'every sign-in is signed by the key of its address',
    file: `${sales}/entitlement.ts`,
    from: 'await isSignInByKey(signIn, services.recover)',
    to: 'true',
  },
  {
    fault: 'a refunded sale can be downloaded again',
    file: 'paywall/ledger/sql-documents.ts',
    from: ' AND refund_tx IS NULL AND proven = 1`;',
    to: ' AND proven = 1`;',
  },
];

const [, , SEEDS = '1-300', words = ''] = process.argv;

for (const mutant of MUTANTS.filter(({fault}) => fault.includes(words)))
  process.stdout.write(`| ${mutant.fault} | ${await found(mutant)} |\n`);

/** The first violation that the simulator reports for a mutant. */
async function found({file, from, to}: Mutant): Promise<string> {
  const folder = await mkdtemp(join(PROJECT, 'dist/mutant-'));
  const outfile = join(folder, 'main.mjs');
  const source = await readFile(join(PROJECT, file), 'utf8');
  if (!source.includes(from)) throw new Error(`${file} does not contain ${from}`);
  await esbuild.build({
    entryPoints: [join(PROJECT, 'tests/simulator/first-violation.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup(build) {
          build.onLoad({filter: /\.ts$/}, ({path}) =>
            path === join(PROJECT, file) ? {contents: source.replace(from, () => to), loader: 'ts'} : undefined,
          );
        },
      },
    ],
  });
  const {stdout} = spawnSync(process.execPath, [outfile, SEEDS], {cwd: PROJECT, encoding: 'utf8'});
  await rm(folder, {recursive: true});
  return stdout.trim() || `not found in the seeds ${SEEDS}`;
}
