// The wallets of this browser: those that announce themselves (EIP-6963), or else the one that is simply there (EIP-1193).

const MOST_WALLETS = 20;
const MOST_LETTERS = 40;

/** @type {Map<string, Wallet>} */
const announced = new Map();

/** @returns {Wallet[]} */
export function wallets() {
  if (announced.size > 0 || !window.ethereum) return [...announced.values()];
  return [{name: 'The wallet of this browser', icon: '', provider: window.ethereum}];
}

/** Calls back whenever another wallet is there. */
export function watchWallets(/** @type {() => void} */ onChange) {
  window.addEventListener('eip6963:announceProvider', ({detail: {info, provider}}) => {
    if (announced.size >= MOST_WALLETS || announced.get(info.uuid)?.provider === provider) return;
    // Any extension may announce anything: nothing is loaded for it, and no name fills the page.
    const icon = String(info.icon).startsWith('data:image/') ? info.icon : '';
    announced.set(String(info.uuid), {name: String(info.name).slice(0, MOST_LETTERS), icon, provider});
    onChange();
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
}
