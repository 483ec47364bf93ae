import {once} from 'node:events';
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {
  createTestClient,
  http,
  parseEther,
  publicActions,
  walletActions,
  type Address,
  type Hex,
  TransactionReceiptNotFoundError,
  withRetry,
  type Hash,
  type TransactionReceipt,
  formatUnits,
  parseAbi,
  parseUnits,
} from 'viem';
import {generatePrivateKey, privateKeyToAddress, privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {baseSepolia} from 'viem/chains';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {needing} from '../terminal/optional.ts';
import code from './contracts.json' with {type: 'json'};
import {englishNumber} from '../../shared/english.ts';
import {spawn} from 'node:child_process';
import {childEnv} from '../../shared/child-env.ts';

/** The network of the local chain: Base Sepolia, in CAIP-2. */
export const network = `eip155:${baseSepolia.id}` as const;

/** Limits for answers of a node, which is an external program. */
export const fetchFromNode = boundedFetch({maxBytes: 16 * 1024 * 1024, timeoutMs: 30_000});

export type LocalChain = Awaited<ReturnType<typeof joinChain>>;

/** Starts Anvil with the token on a free local port, and resolves when it answers. It ends with this process. */
export async function startChain(): Promise<LocalChain> {
  const args = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(baseSepolia.id), '--accounts', '0'];
  const {stdout, stop} = leashed(await anvilBinary(), args);
  try {
    const chain = await joinChain(`http://${await addressOf(stdout)}`);
    for (const contract of CONTRACTS) await chain.client.setCode(contract);
    return {...chain, stop, [Symbol.asyncDispose]: stop};
  } catch (cause) {
    await stop();
    throw new Error('the local chain does not start', {cause});
  }
}

/** Connects to a local chain that another process started and will stop. `stop` does nothing. */
export async function joinChain(rpcUrl: string) {
  const client = clientOf(rpcUrl);
  const {address} = client.account;
  await client.impersonateAccount({address});
  await client.setBalance({address, value: parseEther('1000')});
  const stop = () => Promise.resolve();
  return {rpcUrl, client, stop, [Symbol.asyncDispose]: stop};
}

/** Returns a client that reads the chain, controls it, and sends from its own account. */
function clientOf(rpcUrl: string) {
  const transport = http(rpcUrl, {retryCount: 0, fetchFn: fetchFromNode});
  const account = privateKeyToAddress(generatePrivateKey());
  return createTestClient({mode: 'anvil', chain: baseSepolia, account, transport, cacheTime: 0})
    .extend(publicActions)
    .extend(walletActions);
}

/** Returns the path of the program itself. The launcher of the package would leave Anvil running when it is killed. */
async function anvilBinary(): Promise<string> {
  const launcher = await needing(['@foundry-rs/anvil'], () =>
    createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'),
  );
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const program = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  return createRequire(launcher).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/${program}`);
}

/** Returns `host:port` from Anvil's output. All further output is read, so that Anvil does not block. */
async function addressOf(stdout: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({input: stdout});
  const address = new Promise<string>(resolve => {
    lines.on('line', line => {
      const [, announced] = /^Listening on (\S+)$/.exec(line) ?? [];
      if (announced) resolve(announced);
    });
  });
  const ended = once(lines, 'close').then(() => {
    throw new Error('Anvil ended before it listened');
  });
  return Promise.race([address, ended]);
}

/** USDC on Base Sepolia, the token that x402 uses for prices in dollars. */
export const usdc: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

/** Contracts at their real addresses. The sources are in tests/contracts. */
export const CONTRACTS: readonly {readonly address: Address; readonly bytecode: Hex}[] = [
  {address: usdc, bytecode: code.usdc as Hex},
  // Multicall3 has the same address on all chains. Facilitators use it to find out why a payment fails.
  {address: '0xcA11bde05977b3631167028862bE2a173976CA11', bytecode: code.multicall as Hex},
];

const ASK_EVERY_MS = 10;
const ATTEMPTS = 1_000;

/** Any viem client of the chain. */
interface Reader {
  getTransactionReceipt(query: {hash: Hash}): Promise<TransactionReceipt>;
}

/**
 * Waits for the receipt of a transaction by polling. viem waits for new blocks, but Anvil creates a block only for a transaction, so a late
 * receipt would never be found.
 */
export function receiptOf(reader: Reader, hash: Hash): Promise<TransactionReceipt> {
  return withRetry(() => reader.getTransactionReceipt({hash}), {
    delay: ASK_EVERY_MS,
    retryCount: ATTEMPTS,
    shouldRetry: ({error}) => error instanceof TransactionReceiptNotFoundError,
  });
}

const usdcAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function mint(address to, uint256 value)',
]);

/** Returns the balance in atomic units, which are millionths of a dollar. */
export function balanceOf({client}: LocalChain, address: Address): Promise<bigint> {
  return client.readContract({address: usdc, abi: usdcAbi, functionName: 'balanceOf', args: [address]});
}

/** Formats atomic units of the token as dollars: `0.02` for 20,000. */
export function dollars(atomic: bigint | string): string {
  return englishNumber(formatUnits(BigInt(atomic), 6), {minFraction: 2, maxFraction: 6});
}

/** Creates an account with dollars of the token, such as `0.10`, and without ether, which payers do not need. */
export async function fundedBuyer(
  chain: LocalChain,
  amount: string,
  privateKey: Hex = generatePrivateKey(),
): Promise<PrivateKeyAccount> {
  const buyer = privateKeyToAccount(privateKey);
  const args = [buyer.address, parseUnits(amount, 6)] as const;
  const hash = await chain.client.writeContract({address: usdc, abi: usdcAbi, functionName: 'mint', args});
  await receiptOf(chain.client, hash);
  return buyer;
}

/**
 * Replaces the shell by the program. A background process reads a pipe from this process and kills the program when the pipe closes, which
 * also happens after SIGKILL.
 */
const leash = 'exec 3<&0; { cat <&3; kill -9 $$; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** Starts a program that ends with this process. Signals from the terminal do not reach it. */
export function leashed(program: string, args: readonly string[]) {
  const child = spawn('sh', ['-c', leash, 'sh', program, ...args], {
    detached: true,
    env: childEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  return {
    stdout: child.stdout,
    /** Ends the program. Resolves when it has ended. */
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      child.stdin.destroy();
    },
  };
}
