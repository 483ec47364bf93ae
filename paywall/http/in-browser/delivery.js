// Sends a signed payment, and shows the document or returns why it was not delivered.
import {amountOf, code, element, explorerLink, show, terms} from './page.js';
import {send, sha256} from './payment.js';
import {storePayment} from './stored-payment.js';

const ATTEMPTS = 6;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 20_000;
/** The length of the preview of a document. */
const PREVIEW_BYTES = 20_000;
/** The end of the reason if an authorization that is never valid collects nothing. */
const NOTHING_LEFT = 'valid_after';

/**
 * The reason why the document was not delivered. The kinds: no payment is open (`closed`), the payer may be able to collect the document
 * with a new signature (`collectable`), or only the same payment should be sent again, or forgotten (`unknown`).
 * @typedef {{kind: 'closed' | 'collectable' | 'unknown', view: View}} Failure
 */
/** @typedef {NonNullable<Awaited<ReturnType<typeof send>>>} Answer */

/**
 * Sends a payment, and repeats it while the answer is missing or incomplete, or the gate asks to retry. The same payment is charged only
 * once.
 *
 * @param {Payment} payment
 * @param {boolean} isNew true if the payment has not been sent before
 * @returns {Promise<Failure | undefined>} undefined if the document is shown
 */
export async function deliver(payment, isNew) {
  let pause = MIN_PAUSE_MS;
  let why = '';
  showBusy('The payment is on its way. This takes seconds.');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await send(payment);
    if (answer?.status === 200) return showDocument(payment, answer);
    const canRetry = !answer || answer.retryAfter || answer.status >= 500;
    if (!canRetry) return refusal(payment, answer, isNew && attempt === 1);
    why = `No document has arrived yet: ${answer ? answer.reason : 'no complete answer'}.`;
    // A date is not a number. Then the pause is that of the page.
    const seconds = Number(answer?.retryAfter);
    if (seconds > 0) pause = Math.min(seconds * 1000, MAX_PAUSE_MS);
    if (attempt === ATTEMPTS) break;
    showBusy(`${why} The same payment is sent again, and charged once.`);
    await new Promise(resolve => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
  return unknownOutcome(why);
}

const showBusy = (/** @type {string} */ message) =>
  show({text: `${message} You may close the page: it continues when reopened.`, tone: 'busy'});

/** @type {(payment: Payment, answer: Answer, isNew: boolean) => Failure} */
function refusal({payer, way, arrived}, {status, reason}, isNew) {
  const message = `The payment was refused: ${describeReason(reason)}.`;
  if (status !== 402) return unknownOutcome(message);
  if (isNew) return {kind: 'closed', view: {text: `${message} Nothing was charged.`}};
  if (arrived) return {kind: 'closed', view: {text: `You have bought this document here before. ${message}`}};
  if (reason.endsWith(NOTHING_LEFT)) {
    const why =
      'The earlier payment was not charged, its document was sent, 24 hours have passed, or the site cannot verify contract wallets. Forget it to pay for the document again.';
    return {kind: 'unknown', view: {text: `${message} ${why}`}};
  }
  const remedy = 'If it was charged, sign again with the same account within 24 hours to collect the document.';
  const facts = /** @type {const} */ ([['Your account', explorerLink(way, 'address', payer)]]);
  return {kind: 'collectable', view: {text: `${message} ${remedy}`, facts}};
}

/** @type {(text: string) => Failure} */
const unknownOutcome = message => ({
  kind: 'unknown',
  view: {
    text: `${message} It may have been charged. Send the same payment again within 24 hours: it is charged once.`,
  },
});

/** @param {string} reason */
function describeReason(reason) {
  if (/^document_|^No match/.test(reason)) return 'document or price changed. Reload the page';
  if (reason.endsWith('m_signature')) return 'another account signed it';
  if (reason.endsWith(NOTHING_LEFT)) return 'nothing is left to collect';
  if (reason.includes('valid_before')) return 'it was signed too late, or your clock is wrong';
  if (reason.includes('insufficient')) return 'the account has too little money';
  if (reason.includes('nonce_already_used')) return 'it was used already';
  return reason;
}

/** @type {(payment: Payment, answer: Answer) => Promise<Failure | undefined>} */
async function showDocument(payment, {bytes, transaction = null, receipt}) {
  const {payer, nonce, way} = payment;
  const {network, asset, payTo, amount} = way.accepted;
  const saved = {transaction, network, asset, payer, payTo, amount, nonce, receipt};
  const digest = await sha256(bytes);
  /** @type {View['facts']} */
  const facts = [
    ['Paid', `${amountOf(BigInt(amount), way)} on ${way.name}`],
    ['To', code(payTo)],
    ['From', code(payer)],
    ['Transaction', transaction ? explorerLink(way, 'tx', transaction) : 'not reported'],
    ['SHA-256', code(digest)],
  ];
  if (digest !== terms.snapshot.sha256) {
    const message = `Not shown: not the document that was for sale (SHA-256 ${terms.snapshot.sha256}). Send the payment again, or write to the publisher.`;
    return {kind: 'unknown', view: {text: message, facts}};
  }
  const text = /json|text/.test(terms.type) ? new TextDecoder().decode(bytes.subarray(0, PREVIEW_BYTES)) : '';
  const rest = bytes.length > PREVIEW_BYTES ? '\n…' : '';
  const document = downloadLink('Save the document', bytes, terms.file, terms.type);
  document.addEventListener('click', () => storePayment(undefined));
  show({
    text: 'Bought. The document has the SHA-256 that was for sale. Save it now.',
    tone: 'done',
    facts,
    more: [
      element(
        'p',
        {className: 'actions'},
        document,
        downloadLink('Save the receipt', `${JSON.stringify(saved, null, 2)}\n`, 'receipt.json', 'application/json'),
      ),
      ...(text ? [element('pre', {tabIndex: 0, role: 'region', ariaLabel: 'The document'}, text + rest)] : []),
    ],
  });
  await storePayment({...payment, arrived: true}); // until the document is saved, a reload collects it again
  return undefined;
}

/** @type {(text: string, content: BlobPart, download: string, type: string) => HTMLElement} */
function downloadLink(text, content, download, type) {
  return element('a', {className: 'button', href: URL.createObjectURL(new Blob([content], {type})), download}, text);
}
