// The checkout in the page of a 402: wallet, terms, signature. What comes after, `delivery.js` does. Nothing here is needed to read the page.
import {deliver} from './delivery.js';
import {amountOf, code, show, terms} from './page.js';
import {authorizationOf, keep, keptPayment, paymentOf} from './payment.js';
import {accountOf, balanceOf, chainOf, signatureOf, switchTo, wordsOf} from './wallet.js';
import {wallets, watchWallets} from './wallets.js';

/**
 * A payment that may have been charged: its payer collects with a new one, so no other account may sign.
 * @type {Payment | undefined}
 */
let former;
/** @type {Wallet | undefined} */
let wallet;
/** @type {Way | undefined} */
let way = terms.ways[0];
/** Counts what was begun: an answer that belongs to something earlier changes nothing any more. */
let turn = 0;
/** Whether wallets are being chosen from, or asked; a payment that is on its way does not hear them. */
let stage = '';

const tryAgain = {text: 'Try again', run: () => review()};
const lookAgain = {text: 'Look again', run: () => review()};
const anotherWallet = {text: 'Use another wallet', run: () => choose()};

/** @param {string} [note] */
function choose(note) {
  turn++;
  stage = 'choice';
  const found = wallets();
  const none = 'No wallet was found in this browser. Add one that holds money, or buy with a program.';
  const first = former ? `Choose the wallet with the account ${former.payer}.` : 'Choose the wallet to pay with.';
  show({
    say: note ?? (found.length > 0 ? `${first} It is asked for your address. Nothing is paid yet.` : none),
    tone: note ? 'fault' : 'choice',
    actions: found.map(one => ({text: one.name, icon: one.icon, run: () => connect(one)})),
  });
}

/** Shows that something is under way; returns whether it still is. */
function begin(/** @type {string} */ say) {
  const mine = ++turn;
  stage = 'wallet';
  show({say, tone: 'busy', actions: [{text: 'Cancel', run: () => choose()}]});
  return () => mine === turn;
}

async function connect(/** @type {Wallet} */ chosen) {
  const isCurrent = begin(`Answer in your wallet: ${chosen.name} asks whether this page may see your address.`);
  try {
    await accountOf(chosen, 'eth_requestAccounts');
    if (!isCurrent()) return;
    if (chosen !== wallet) listenTo(chosen);
    wallet = chosen;
    await review();
  } catch (error) {
    if (isCurrent()) choose(`${wordsOf(error)} Nothing was paid.`);
  }
}

/** What changes in the wallet may make the terms on the page wrong, and a signature that is being asked for. */
function listenTo(/** @type {Wallet} */ chosen) {
  const changed = () => {
    if (chosen === wallet && stage === 'signature')
      void review('Account or network changed in the wallet. What it asked you to sign is not used.');
    else if (chosen === wallet && stage === 'wallet') void review();
  };
  for (const event of /** @type {const} */ (['accountsChanged', 'chainChanged'])) chosen.provider.on?.(event, changed);
}

/**
 * Shows who would pay what to whom, or what is in the way of it.
 * @param {string} [note]
 */
async function review(note) {
  const [chosen, paying] = [wallet, former ? wayOf(former) : way];
  if (!chosen || !paying) return choose();
  const isCurrent = begin('Looking at account and balance.');
  try {
    const account = await accountOf(chosen, 'eth_accounts');
    if (!isCurrent()) return;
    if (!account) return choose('The wallet shows this page no account any more. Nothing was paid.');
    const isThere = (await chainOf(chosen)) === paying.chainId;
    const balance = isThere ? await balanceOf(chosen, paying, account) : undefined;
    if (isCurrent()) offer({chosen, paying, account, isThere, balance, note});
  } catch (error) {
    if (isCurrent()) choose(wordsOf(error));
  }
}

/** A payment is collected on its network, at the price of now. */
const wayOf = (/** @type {Payment} */ {way}) =>
  terms.ways.find(({accepted}) => accepted.network === way.accepted.network) ?? way;

/** @param {{chosen: Wallet, paying: Way, account: string, isThere: boolean, balance?: bigint | undefined, note?: string | undefined}} found */
function offer({chosen, paying, account, isThere, balance, note}) {
  const price = amountOf(BigInt(paying.accepted.amount), paying);
  const facts = /** @type {const} */ ([
    ['What', `${terms.title}, as of ${terms.asOf}`],
    ['How much', price],
    ['To whom', code(paying.accepted.payTo)],
    ['On which network', paying.name],
    [
      'From your account',
      code(account),
      ...(balance === undefined ? [] : [`, which has ${amountOf(balance, paying)}`]),
    ],
  ]);
  const others = terms.ways
    .filter(one => one !== paying && !former)
    .map(one => ({text: `Pay on ${one.name} instead`, run: () => payBy(one)}));
  const more = [...others, anotherWallet];
  /** @type {(say: string, action: Action) => void} */
  const stop = (say, action) => show({say, tone: 'fault', facts, actions: [action, ...more]});

  if (former && former.payer.toLowerCase() !== account.toLowerCase()) {
    more.unshift({text: 'Forget the earlier payment', run: forget});
    return stop(`What was paid is owed to ${former.payer}. Choose that account in the wallet.`, lookAgain);
  }
  if (!isThere) {
    const action = {text: `Switch to ${paying.name}`, run: () => bring(chosen, paying)};
    return stop(`Your wallet is on another network. The price is asked on ${paying.name}.`, action);
  }
  if (!former && balance !== undefined && balance < BigInt(paying.accepted.amount)) {
    const has = `This account has ${amountOf(balance, paying)}, and the document costs ${price}.`;
    return stop(`${has} Put money on it, or choose another account.`, lookAgain);
  }
  const [text, say] = former
    ? ['Sign anew', 'Where the shop owes you the document, it is not charged for this signature. Otherwise you buy it.']
    : [`Pay ${price}`, 'You sign these terms in the wallet. It costs nothing beside the price.'];
  const actions = [{text, run: () => sign(chosen, paying, account)}, ...more];
  show({say: note ?? say, tone: note ? 'fault' : undefined, facts, actions});
}

async function bring(/** @type {Wallet} */ chosen, /** @type {Way} */ paying) {
  const isCurrent = begin(`Answer in your wallet: it asks whether to switch to ${paying.name}.`);
  try {
    await switchTo(chosen, paying);
    if (isCurrent()) await review();
  } catch (error) {
    if (isCurrent()) fail(error);
  }
}

async function sign(/** @type {Wallet} */ chosen, /** @type {Way} */ paying, /** @type {string} */ account) {
  const isCurrent = begin('Answer in your wallet: it shows what you sign. Nothing is paid before you do.');
  stage = 'signature';
  try {
    const {message, typed} = authorizationOf(paying, account);
    const signature = await signatureOf(chosen, account, typed);
    if (!isCurrent()) return;
    const other = keptPayment();
    // Another tab was faster: one of the two signatures is enough.
    if (other && other.nonce !== former?.nonce) return await take(other);
    const payment = paymentOf(paying, message, signature);
    keep(payment);
    await take(payment, true);
  } catch (error) {
    if (isCurrent()) fail(error);
  }
}

function fail(/** @type {unknown} */ error) {
  show({say: `${wordsOf(error)} Nothing was paid.`, tone: 'fault', actions: [tryAgain, anotherWallet]});
}

/** Sends a payment until there is an end. A new one that is refused leaves what was there before it. */
async function take(/** @type {Payment} */ payment, isNew = false) {
  turn++;
  stage = 'delivery';
  const end = await deliver(payment, isNew);
  if (!end) return;
  if (end.kind === 'free') keep(former);
  const again = {text: 'Ask again', run: () => take(payment)};
  const anew = () => {
    former = payment;
    choose();
  };
  const actions = {
    free: [tryAgain, {text: 'Load the page again', run: () => location.reload()}],
    owed: [again, {text: 'Sign anew', run: anew}, {text: 'Forget this payment', run: forget}],
    held: [again, {text: 'Forget this payment', run: forget}],
  }[end.kind];
  show({...end.view, tone: 'fault', actions});
}

function payBy(/** @type {Way} */ other) {
  way = other;
  return review();
}

function forget() {
  former = undefined;
  keep(undefined);
  return review();
}

function start() {
  if (!isSecureContext)
    return show({
      say: 'A wallet can pay only where this page was opened by https. Buy with a program.',
      tone: 'fault',
    });
  if (terms.ways.length === 0)
    return show({say: 'A wallet in the browser cannot pay on this network. Buy with a program.', tone: 'fault'});
  watchWallets(() => stage === 'choice' && choose());
  let kept;
  try {
    kept = keptPayment();
  } catch {
    const say =
      'Your browser keeps nothing for this page, so what is cut off would be lost. Allow it to, and load the page again.';
    return show({say, tone: 'fault'});
  }
  if (kept) void take(kept);
  else choose();
}

start();
