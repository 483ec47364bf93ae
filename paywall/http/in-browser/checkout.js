// The checkout in the page of a 402: the reader chooses a wallet, reviews the terms and signs. `delivery.js` then sends the payment. The page
// is readable without this script.
import {deliver} from './delivery.js';
import {amountOf, code, show, terms} from './page.js';
import {authorizationOf, paymentOf} from './payment.js';
import {storedPayment, storeFirst, storePayment} from './stored-payment.js';
import {accountOf, balanceOf, chainOf, describeError, signatureOf, switchTo} from './wallet.js';
import {wallets, watchWallets} from './wallets.js';

/**
 * A payment that may have been charged. Its payer can collect the document with a new signature, so no other account may sign.
 * @type {Payment | undefined}
 */
let earlierPayment;
/** @type {Wallet | undefined} */
let wallet;
/** @type {Way | undefined} */
let way = terms.ways[0];
/** Counts the steps. A wallet's answer to an earlier step is ignored. */
let currentStep = 0;
/**
 * The stage of the checkout. Events of wallets are ignored during the delivery.
 * @type {'' | 'choice' | 'wallet' | 'signature' | 'delivery'}
 */
let stage = '';

const tryAgain = {text: 'Try again', run: () => review()};
const checkAgain = {text: 'Check again', run: () => review()};
const forgetPayment = {text: 'Forget this payment', run: () => forget()};
const anotherWallet = {text: 'Use another wallet', run: () => chooseWallet()};

/** @param {string} [error] */
function chooseWallet(error) {
  currentStep++;
  stage = 'choice';
  const found = wallets();
  const none = 'No wallet was found. Add one with money, or buy with a program.';
  const first = earlierPayment
    ? `Choose the wallet with the account ${earlierPayment.payer}.`
    : 'Choose the wallet to pay with.';
  show({
    text: error ?? (found.length > 0 ? `${first} It asks to show your address. Nothing is paid yet.` : none),
    tone: error ? 'error' : 'choice',
    actions: found.map(one => ({text: one.name, icon: one.icon, run: () => connect(one)})),
  });
}

/** Starts a step that waits for the wallet. Returns a function that is true until another step starts. */
function startStep(/** @type {string} */ message) {
  const step = ++currentStep;
  stage = 'wallet';
  show({text: message, tone: 'busy', actions: [{text: 'Cancel', run: () => chooseWallet()}]});
  return () => step === currentStep;
}

async function connect(/** @type {Wallet} */ chosen) {
  const isCurrent = startStep('Answer in your wallet: may this page see your address?');
  try {
    await accountOf(chosen, 'eth_requestAccounts');
    if (!isCurrent()) return;
    if (chosen !== wallet) watchChanges(chosen);
    wallet = chosen;
    await review();
  } catch (error) {
    if (isCurrent()) chooseWallet(`${describeError(error)} Nothing was paid.`);
  }
}

/** Reviews the terms again if the account or the network of the wallet changes, also while the reader is signing. */
function watchChanges(/** @type {Wallet} */ chosen) {
  const changed = () => {
    if (chosen === wallet && stage === 'signature')
      void review('The account or network changed in the wallet: its signature is not used.');
    else if (chosen === wallet && stage === 'wallet') void review();
  };
  for (const event of /** @type {const} */ (['accountsChanged', 'chainChanged'])) chosen.provider.on?.(event, changed);
}

/**
 * Reads the account, the network and the balance of the wallet, and then shows the terms.
 * @param {string} [error]
 */
async function review(error) {
  const [chosen, paying] = [wallet, earlierPayment ? wayOf(earlierPayment) : way];
  if (!chosen || !paying) return chooseWallet();
  const isCurrent = startStep('Checking account and balance.');
  try {
    const account = await accountOf(chosen, 'eth_accounts');
    if (!isCurrent()) return;
    if (!account) return chooseWallet('The wallet shows no account to this page. Nothing was paid.');
    const isOnNetwork = (await chainOf(chosen)) === paying.chainId;
    const balance = isOnNetwork ? await balanceOf(chosen, paying, account) : undefined;
    if (isCurrent()) showTerms({chosen, paying, account, isOnNetwork, balance, error});
  } catch (error) {
    if (isCurrent()) chooseWallet(describeError(error));
  }
}

/** Returns the current terms on the network of a payment, with which its document can be collected. */
const wayOf = (/** @type {Payment} */ {way}) =>
  terms.ways.find(({accepted}) => accepted.network === way.accepted.network) ?? way;

/**
 * Shows payer, payee and price with a button to sign, or the reason why the wallet cannot pay.
 * @param {{chosen: Wallet, paying: Way, account: string, isOnNetwork: boolean, balance?: bigint | undefined, error?: string | undefined}} found
 */
function showTerms({chosen, paying, account, isOnNetwork, balance, error}) {
  const price = amountOf(BigInt(paying.accepted.amount), paying);
  const facts = /** @type {const} */ ([
    ['Document', `${terms.title}, as of ${terms.asOf}`],
    ['Price', price],
    ['Payee', code(paying.accepted.payTo)],
    ['Network', paying.name],
    ['Your account', code(account), ...(balance === undefined ? [] : [`, which has ${amountOf(balance, paying)}`])],
  ]);
  const others = terms.ways
    .filter(one => one !== paying && !earlierPayment)
    .map(one => ({text: `Pay on ${one.name} instead`, run: () => payOn(one)}));
  const more = [...others, anotherWallet];
  /** @type {(text: string, action: Action) => void} */
  const stop = (message, action) => show({text: message, tone: 'error', facts, actions: [action, ...more]});

  if (earlierPayment && earlierPayment.payer.toLowerCase() !== account.toLowerCase()) {
    more.unshift({text: 'Forget the earlier payment', run: forget});
    return stop(
      `Only ${earlierPayment.payer} can collect the document. Choose that account in the wallet.`,
      checkAgain,
    );
  }
  if (!isOnNetwork) {
    const action = {text: `Switch to ${paying.name}`, run: () => switchNetwork(chosen, paying)};
    return stop(`Your wallet is on another network. The price must be paid on ${paying.name}.`, action);
  }
  if (!earlierPayment && balance !== undefined && balance < BigInt(paying.accepted.amount)) {
    const has = `This account has ${amountOf(balance, paying)}, and the document costs ${price}.`;
    return stop(`${has} Add money, or choose another account.`, checkAgain);
  }
  const [text, message] = earlierPayment
    ? ['Sign again', 'This signature pays nothing. It collects the document if the earlier payment was charged.']
    : [`Pay ${price}`, 'You sign these terms in the wallet. There are no other fees.'];
  const actions = [{text, run: () => sign(chosen, paying, account)}, ...more];
  show({text: error ?? message, tone: error ? 'error' : undefined, facts, actions});
}

async function switchNetwork(/** @type {Wallet} */ chosen, /** @type {Way} */ paying) {
  const isCurrent = startStep(`Confirm the switch to ${paying.name} in your wallet.`);
  try {
    await switchTo(chosen, paying);
    if (isCurrent()) await review();
  } catch (error) {
    if (isCurrent()) fail(error);
  }
}

async function sign(/** @type {Wallet} */ chosen, /** @type {Way} */ paying, /** @type {string} */ account) {
  const isCurrent = startStep('Answer in your wallet: it shows what you sign. Nothing is paid before you sign.');
  stage = 'signature';
  try {
    const {message, typed} = authorizationOf(paying, account, earlierPayment !== undefined);
    const signature = await signatureOf(chosen, account, typed);
    if (isCurrent()) await sendSigned(paymentOf(paying, message, signature));
  } catch (error) {
    if (isCurrent()) fail(error);
  }
}

/** Stores a new payment and sends it. If another tab was faster, only its payment is sent. */
async function sendSigned(/** @type {Payment} */ payment) {
  currentStep++;
  stage = 'delivery';
  show({text: 'The payment is stored before it is sent.', tone: 'busy'});
  let other;
  try {
    other = earlierPayment ? await storedPayment() : await storeFirst(payment);
  } catch {
    const text = 'Your browser could not store the payment. Nothing was paid.';
    return show({text, tone: 'error', actions: [tryAgain, anotherWallet]});
  }
  if (other && other.nonce !== earlierPayment?.nonce) return sendPayment(other);
  return earlierPayment ? sendPayment({...earlierPayment, header: payment.header}) : sendPayment(payment, true);
}

function fail(/** @type {unknown} */ error) {
  show({text: `${describeError(error)} Nothing was paid.`, tone: 'error', actions: [tryAgain, anotherWallet]});
}

/** Sends a payment and shows the outcome. If a new payment is refused, the earlier one is stored again. */
async function sendPayment(/** @type {Payment} */ payment, isNew = false) {
  currentStep++;
  stage = 'delivery';
  const failure = await deliver(payment, isNew);
  if (!failure) return;
  // If this fails, a reload sends the refused payment again.
  if (failure.kind === 'closed') await storePayment(earlierPayment).catch(() => undefined);
  const again = {text: 'Send the payment again', run: () => sendPayment(payment)};
  const signAgain = () => {
    // A signature that collects has the nonce of the payment for which it collects.
    if (earlierPayment?.nonce !== payment.nonce) earlierPayment = payment;
    chooseWallet();
  };
  const actions = {
    closed: [tryAgain, {text: 'Reload the page', run: () => location.reload()}],
    collectable: [again, {text: 'Sign again', run: signAgain}, forgetPayment],
    unknown: [again, forgetPayment],
  }[failure.kind];
  show({...failure.view, tone: 'error', actions});
}

function payOn(/** @type {Way} */ other) {
  way = other;
  return review();
}

async function forget() {
  try {
    await storePayment(undefined);
  } catch {
    return show({text: 'Your browser could not forget the payment.', tone: 'error', actions: [forgetPayment]});
  }
  earlierPayment = undefined;
  return review();
}

async function start() {
  const stop = (/** @type {string} */ text) => show({text, tone: 'error'});
  if (!isSecureContext) return stop('A wallet can pay only over https. Buy with a program.');
  if (terms.ways.length === 0) return stop('No browser wallet can pay on this network. Buy with a program.');
  watchWallets(() => stage === 'choice' && chooseWallet());
  let stored;
  try {
    stored = await storedPayment();
  } catch {
    return stop('Your browser stores no data for this page, so a payment could be lost. Allow it, and reload.');
  }
  if (stored) void sendPayment(stored);
  else chooseWallet();
}

void start();
