// Stores the payment of this page until its document is saved. A transaction of IndexedDB excludes other tabs, and is on disk when it is
// complete. `localStorage` would do neither: Chromium writes it to disk seconds later, and other tabs see a change late.

const STORE = 'payments';
/** A page sells one document. */
const KEY = location.pathname;

/**
 * Returns the stored payment. Rejects if the browser does not store data for the page.
 * @returns {Promise<Payment | undefined>}
 */
export function storedPayment() {
  return inStore('readonly', store => store.get(KEY));
}

export function storePayment(/** @type {Payment | undefined} */ payment) {
  return payment
    ? inStore('readwrite', store => store.put(payment, KEY))
    : inStore('readwrite', store => store.delete(KEY));
}

/**
 * Stores a payment, unless another tab was faster. Then it returns the other payment.
 * @returns {Promise<Payment | undefined>}
 */
export function storeFirst(/** @type {Payment} */ payment) {
  return inStore('readwrite', store => {
    const reading = store.get(KEY);
    reading.onsuccess = () => {
      if (!reading.result) store.put(payment, KEY);
    };
    return reading;
  });
}

/**
 * Runs a transaction, and resolves with the result of a request when the changes are on disk.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T>}
 */
async function inStore(mode, work) {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(STORE, mode, {durability: 'strict'});
    return await new Promise((resolve, reject) => {
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => {
        resolve(request.result);
      };
      transaction.onabort = () => {
        reject(transaction.error);
      };
    });
  } finally {
    database.close();
  }
}

/** @returns {Promise<IDBDatabase>} */
function openDatabase() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('frozen', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onsuccess = () => {
      resolve(opening.result);
    };
    opening.onerror = () => {
      reject(opening.error);
    };
  });
}
