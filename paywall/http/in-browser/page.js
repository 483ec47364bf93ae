// Renders the checkout. Text from wallets and servers is inserted as text, never as markup.

const card = /** @type {HTMLElement} */ (document.getElementById('checkout'));

/** @type {Terms} */
export const terms = JSON.parse(card.dataset['terms'] ?? '');

let hasActed = false;

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<HTMLElementTagNameMap[T]>} properties
 * @param {(Node | string)[]} children
 */
export function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Replaces the content of the checkout, and moves the keyboard focus to the first button if the focus was in the checkout. */
export function show(/** @type {View} */ {text: message, tone, facts = [], actions = [], more = []}) {
  const focused = document.activeElement;
  const hasFocus = hasActed && (focused === document.body || card.contains(focused));
  const rows = facts.map(([term, ...values]) =>
    element('div', {}, element('dt', {className: 'label'}, term), element('dd', {}, ...values)),
  );
  const buttons = actions.map(({text, icon, run}) => {
    /** @param {MouseEvent} event */
    const onclick = ({detail}) => {
      // The second click of a double click is for the button that was here before, not for a new one such as `Cancel`.
      if (detail > 1) return;
      hasActed = true;
      run();
    };
    return element('button', {type: 'button', onclick}, ...(icon ? [element('img', {src: icon, alt: ''})] : []), text);
  });
  const status = /** @type {HTMLElement} */ (document.getElementById('checkout-status'));
  status.textContent = message;
  status.className = tone ?? '';
  card.hidden = false;
  document
    .getElementById('checkout-view')
    ?.replaceChildren(
      ...(rows.length > 0 ? [element('dl', {className: 'facts'}, ...rows)] : []),
      ...more,
      ...(buttons.length > 0 ? [element('p', {className: 'actions'}, ...buttons)] : []),
    );
  if (hasFocus) (buttons[0] ?? status).focus();
}

/** @type {(text: string) => HTMLElement} */
export const code = text => element('code', {}, text);

/** Formats an amount in atomic units: exact, with at least two decimals. */
export function amountOf(/** @type {bigint} */ atomic, /** @type {Way} */ {decimals, symbol}) {
  const digits = String(atomic).padStart(decimals + 1, '0');
  const cents = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, '')
    .padEnd(2, '0');
  return `${digits.slice(0, digits.length - decimals)}.${cents} ${symbol}`;
}

/**
 * Returns a transaction or an account, as a link to the block explorer if its network has one.
 * @type {(way: Way, kind: 'tx' | 'address', hex: string) => HTMLElement}
 */
export function explorerLink({chain}, kind, hex) {
  const [explorer] = chain?.blockExplorerUrls ?? [];
  if (!explorer) return code(hex);
  const href = `${explorer}/${kind}/${hex}`;
  return element('a', {href, target: '_blank', rel: 'noopener noreferrer'}, code(hex));
}
