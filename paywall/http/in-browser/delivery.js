// What becomes of a signed payment: the document, or a sentence and a way on.
import {amountOf, code, element, explored, show, terms} from './page.js';
import {keep, send, sha256} from './payment.js';

const ATTEMPTS = 6;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
/** What is shown of a document; the file has all of it. */
const MOST_LETTERS = 20_000;

/**
 * Why there is no document: nothing is open any more (`free`), it may be owed to who signs anew (`owed`), or only the same payment can
 * bring it (`held`).
 * @typedef {{kind: 'free' | 'owed' | 'held', view: View}} End
 */
/** @typedef {NonNullable<Awaited<ReturnType<typeof send>>>} Answer */

/**
 * Sends a payment, and the very same again while there is no whole answer or the shop asks for patience: that is charged once. Shows
 * the document, or returns why there is none.
 *
 * @param {Payment} payment
 * @param {boolean} isNew whether nobody can have seen it
 * @returns {Promise<End | undefined>}
 */
export async function deliver(payment, isNew) {
  let pause = SHORTEST_PAUSE_MS;
  let why = '';
  busy('The payment is on its way. This takes some seconds.');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await send(payment);
    if (answer?.status === 200) return opened(payment, answer);
    const hasPatience = !answer || answer.retryAfter > 0 || answer.status >= 500;
    if (!hasPatience) return refused(payment, answer, isNew && attempt === 1);
    why = answer ? answer.reason : 'no whole answer';
    if (answer && answer.retryAfter > 0) pause = Math.min(answer.retryAfter * 1000, LONGEST_PAUSE_MS);
    if (attempt === ATTEMPTS) break;
    busy(`There is no document yet: ${why}. The same payment is sent again, and charged once.`);
    await new Promise(resolve => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
  return unanswered(`There is no document yet: ${why}.`);
}

const busy = (/** @type {string} */ say) =>
  show({say: `${say} You may close the page: opened again, it goes on.`, tone: 'busy'});

/** @type {(payment: Payment, answer: Answer, isNew: boolean) => End} */
function refused({payer, way, arrived}, {status, reason}, isNew) {
  const say = `The shop does not take the payment: ${wordsFor(reason)}.`;
  if (status !== 402) return unanswered(say);
  if (isNew) return {kind: 'free', view: {say: `${say} Nothing was charged.`}};
  if (arrived) return {kind: 'free', view: {say: `You have bought this document here before. ${say}`}};
  const owed =
    'If it was charged and brought nothing, the document is owed to you for 24 hours: sign anew with the same account.';
  const facts = /** @type {const} */ ([['Your account', explored(way, 'address', payer)]]);
  return {kind: 'owed', view: {say: `${say} ${owed}`, facts}};
}

/** @type {(say: string) => End} */
const unanswered = say => ({
  kind: 'held',
  view: {
    say: `${say} It may have been charged. Ask again within 24 hours: the same payment is sent, and charged once.`,
  },
});

/** @param {string} reason */
function wordsFor(reason) {
  if (reason === 'document_changed') return 'a newer document took its place. Load the page again';
  if (/valid_(before|after)/.test(reason)) return 'it was signed too late, or the clock of this computer is wrong';
  if (reason.includes('insufficient')) return 'there is too little money in the account';
  if (reason.includes('nonce_already_used')) return 'it was used already';
  return reason;
}

/** @type {(payment: Payment, answer: Answer) => Promise<End | undefined>} */
async function opened(payment, {bytes, transaction}) {
  const {payer, nonce, way} = payment;
  const {network, asset, payTo, amount} = way.accepted;
  const receipt = {transaction: transaction ?? null, network, asset, payer, payTo, amount, nonce};
  const digest = await sha256(bytes);
  /** @type {View['facts']} */
  const facts = [
    ['Paid', `${amountOf(BigInt(amount), way)} on ${way.name}`],
    ['To', code(payTo)],
    ['From', code(payer)],
    ['Transaction', transaction ? explored(way, 'tx', transaction) : 'not named by the shop'],
    ['SHA-256', code(digest)],
  ];
  if (digest !== terms.snapshot.sha256) {
    const say = `It is not shown: what came is not the document that was for sale, of SHA-256 ${terms.snapshot.sha256}. Ask again, or write to the publisher.`;
    return {kind: 'held', view: {say, facts}};
  }
  const text = /json|text/.test(terms.type) ? new TextDecoder().decode(bytes.subarray(0, MOST_LETTERS)) : '';
  const rest = bytes.length > MOST_LETTERS ? '\n…' : '';
  const document = saver('Save the document', bytes, terms.file, terms.type);
  document.addEventListener('click', () => keep(undefined));
  show({
    say: 'Bought. These are the bytes that were for sale, by their SHA-256. Save them now.',
    tone: 'done',
    facts,
    more: [
      element(
        'p',
        {className: 'actions'},
        document,
        saver('Save the receipt', `${JSON.stringify(receipt, null, 2)}\n`, 'receipt.json', 'application/json'),
      ),
      ...(text ? [element('pre', {tabIndex: 0, role: 'region', ariaLabel: 'The document'}, text + rest)] : []),
    ],
  });
  keep({...payment, arrived: true}); // a reload brings it again, until it is saved
  return undefined;
}

/** @type {(text: string, content: BlobPart, download: string, type: string) => HTMLElement} */
function saver(text, content, download, type) {
  return element('a', {className: 'button', href: URL.createObjectURL(new Blob([content], {type})), download}, text);
}
