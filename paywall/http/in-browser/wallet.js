// The requests to a wallet (EIP-1193).

const DECLINED = 4001;
const UNKNOWN_CHAIN = 4902;
const REQUEST_PENDING = -32002;
const MAX_LENGTH = 200;
const BALANCE_MS = 5_000;

/** @type {(wallet: Wallet, method: string, params?: readonly unknown[]) => Promise<unknown>} */
const request = ({provider}, method, params = []) => provider.request({method, params});

/** @type {(wallet: Wallet, method: 'eth_accounts' | 'eth_requestAccounts') => Promise<string | undefined>} */
export async function accountOf(wallet, method) {
  const [account] = /** @type {unknown[]} */ (await request(wallet, method));
  return typeof account === 'string' && /^0x[0-9a-f]{40}$/i.test(account) ? account : undefined;
}

export async function chainOf(/** @type {Wallet} */ wallet) {
  return Number(await request(wallet, 'eth_chainId'));
}

/** Switches the wallet to a network. Adds the network to the wallet first if the wallet does not know it. */
export async function switchTo(/** @type {Wallet} */ wallet, /** @type {Way} */ {chainId, chain, name}) {
  try {
    await request(wallet, 'wallet_switchEthereumChain', [{chainId: `0x${chainId.toString(16)}`}]);
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
    if (!chain) throw new Error(`it does not know ${name}: add that network to it`, {cause: error});
    await request(wallet, 'wallet_addEthereumChain', [chain]);
  }
}

/** Returns the balance of an account in atomic units, or undefined if the wallet's node does not report it in time. */
export async function balanceOf(
  /** @type {Wallet} */ wallet,
  /** @type {Way} */ {accepted: {asset}},
  /** @type {string} */ account,
) {
  const data = `0x70a08231${account.slice(2).toLowerCase().padStart(64, '0')}`; // balanceOf(address)
  const answer = await Promise.race([
    request(wallet, 'eth_call', [{to: asset, data}, 'latest']).catch(() => undefined),
    new Promise(resolve => setTimeout(resolve, BALANCE_MS)),
  ]);
  return typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : undefined;
}

/** Asks the wallet to sign typed data (EIP-712). */
export async function signatureOf(
  /** @type {Wallet} */ wallet,
  /** @type {string} */ account,
  /** @type {object} */ data,
) {
  const signature = await request(wallet, 'eth_signTypedData_v4', [account, JSON.stringify(data)]);
  if (typeof signature === 'string' && /^0x[0-9a-f]{130,}$/i.test(signature)) return signature;
  throw new Error('it returned no signature');
}

/** Describes an error of a wallet in a sentence. */
export function describeError(/** @type {unknown} */ error) {
  const code = codeOf(error);
  if (code === DECLINED) return 'You declined in the wallet.';
  if (code === REQUEST_PENDING) return 'Answer the open request in your wallet.';
  const {message} = /** @type {{message?: string}} */ (error ?? {});
  return `The wallet reports an error: ${String(message).slice(0, MAX_LENGTH)}.`;
}

/** Some wallets wrap an error in another one. */
function codeOf(/** @type {any} */ error) {
  return error?.data?.originalError?.code ?? error?.code;
}
