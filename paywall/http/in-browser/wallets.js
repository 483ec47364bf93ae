// The wallets of this browser: all that announce themselves (EIP-6963), otherwise `window.ethereum` (EIP-1193).

const MAX_WALLETS = 20;
const MAX_NAME_LENGTH = 40;

/** @type {Map<string, Wallet>} */
const announced = new Map();

/** @returns {Wallet[]} */
export function wallets() {
  if (announced.size > 0 || !window.ethereum) return [...announced.values()];
  return [{name: 'The wallet of this browser', icon: '', provider: window.ethereum}];
}

/** Calls back whenever a new wallet announces itself. */
export function watchWallets(/** @type {() => void} */ onChange) {
  window.addEventListener('eip6963:announceProvider', ({detail: {info, provider}}) => {
    if (announced.size >= MAX_WALLETS || announced.get(info.uuid)?.provider === provider) return;
    // An extension may announce anything, so no icon is loaded from a server, and names are cut.
    const icon = String(info.icon).startsWith('data:image/') ? info.icon : '';
    announced.set(String(info.uuid), {name: String(info.name).slice(0, MAX_NAME_LENGTH), icon, provider});
    onChange();
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
}
