// What is asked of one wallet (EIP-1193).

const DECLINED = 4001;
const UNKNOWN_CHAIN = 4902;
const ASKED_ALREADY = -32002;
const MOST_LETTERS = 200;

/** @type {(wallet: Wallet, method: string, params?: readonly unknown[]) => Promise<unknown>} */
const ask = ({provider}, method, params = []) => provider.request({method, params});

/** @type {(wallet: Wallet, method: 'eth_accounts' | 'eth_requestAccounts') => Promise<string | undefined>} */
export async function accountOf(wallet, method) {
  const [account] = /** @type {unknown[]} */ (await ask(wallet, method));
  return typeof account === 'string' && /^0x[0-9a-f]{40}$/i.test(account) ? account : undefined;
}

export async function chainOf(/** @type {Wallet} */ wallet) {
  return Number(await ask(wallet, 'eth_chainId'));
}

/** Brings the wallet to a network, and makes it known there first where it has to be. */
export async function switchTo(/** @type {Wallet} */ wallet, /** @type {Way} */ {chainId, chain, name}) {
  try {
    await ask(wallet, 'wallet_switchEthereumChain', [{chainId: `0x${chainId.toString(16)}`}]);
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN) throw error;
    if (!chain) throw new Error(`it does not know ${name}: add that network to it`, {cause: error});
    await ask(wallet, 'wallet_addEthereumChain', [chain]);
  }
}

/** The money of an account in atomic units; nothing where the wallet's node does not say. */
export async function balanceOf(
  /** @type {Wallet} */ wallet,
  /** @type {Way} */ {accepted: {asset}},
  /** @type {string} */ account,
) {
  const data = `0x70a08231${account.slice(2).toLowerCase().padStart(64, '0')}`; // balanceOf(address)
  const answer = await ask(wallet, 'eth_call', [{to: asset, data}, 'latest']).catch(() => undefined);
  return typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : undefined;
}

/** Has typed data signed (EIP-712). */
export async function signatureOf(
  /** @type {Wallet} */ wallet,
  /** @type {string} */ account,
  /** @type {object} */ data,
) {
  const signature = await ask(wallet, 'eth_signTypedData_v4', [account, JSON.stringify(data)]);
  if (typeof signature === 'string' && /^0x[0-9a-f]{130,}$/i.test(signature)) return signature;
  throw new Error('it gave no signature');
}

/** What went wrong in a wallet, as a sentence. */
export function wordsOf(/** @type {unknown} */ error) {
  const code = codeOf(error);
  if (code === DECLINED) return 'You declined in the wallet.';
  if (code === ASKED_ALREADY) return 'Your wallet has a question open already: answer it there.';
  const {message} = /** @type {{message?: string}} */ (error ?? {});
  return `The wallet cannot: ${String(message).slice(0, MOST_LETTERS)}.`;
}

/** Some wallets wrap the error of another in their own. */
function codeOf(/** @type {any} */ error) {
  return error?.data?.originalError?.code ?? error?.code;
}
