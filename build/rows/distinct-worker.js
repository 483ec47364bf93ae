import {parentPort, workerData} from 'node:worker_threads';

// Compares numbers in a thread of its own: posts whether none of them stands twice. The numbers are of 64 bits and evenly spread, as
// hashes are; each is two words of 32 bits. (With BigInt, or with words taken apart as lists, this takes three times as long.)

const BUCKETS = 1024;
/** Of the word that tells the bucket, the bits that tell a number's place in it. */
const PLACE_BITS = 22;
const FREE = -1;

const words = new Uint32Array(workerData.buffer, workerData.byteOffset, 2 * workerData.length);
const starts = bucketStarts();
putIntoBuckets();
parentPort.postMessage(bucketsAreDistinct());

/** Where each bucket starts, and in the end where the last one ends: by their size, so that the table of each fits the processor's cache. */
function bucketStarts() {
  const starts = new Uint32Array(BUCKETS + 1);
  for (let index = 1; index < words.length; index += 2) starts[(words[index] >>> PLACE_BITS) + 1]++;
  for (let bucket = 1; bucket <= BUCKETS; bucket++) starts[bucket] += starts[bucket - 1];
  return starts;
}

/** Each number goes to the next place of its bucket, and the number that stood there goes on. */
function putIntoBuckets() {
  const next = starts.slice();
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    for (let index = next[bucket]; index < starts[bucket + 1]; index = next[bucket]) {
      let low = words[2 * index];
      let high = words[2 * index + 1];
      for (let its = high >>> PLACE_BITS; its !== bucket; its = high >>> PLACE_BITS) {
        const place = 2 * next[its]++;
        const otherLow = words[place];
        const otherHigh = words[place + 1];
        words[place] = low;
        words[place + 1] = high;
        low = otherLow;
        high = otherHigh;
      }
      words[2 * index] = low;
      words[2 * index + 1] = high;
      next[bucket] = index + 1;
    }
  }
}

function bucketsAreDistinct() {
  const largest = starts.subarray(1).reduce((most, end, bucket) => Math.max(most, end - starts[bucket]), 1);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * largest)));
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (!bucketIsDistinct(bucket, slots)) return false;
  }
  return true;
}

/** Open addressing: a number goes to the first free slot from the one that its place in the bucket's range points to. */
function bucketIsDistinct(bucket, slots) {
  const mask = slots.length - 1;
  const shift = Math.max(PLACE_BITS - Math.log2(slots.length), 0);
  slots.fill(FREE);
  for (let index = starts[bucket]; index < starts[bucket + 1]; index++) {
    const low = words[2 * index];
    const high = words[2 * index + 1];
    let slot = ((high << (32 - PLACE_BITS)) >>> (32 - PLACE_BITS + shift)) & mask;
    for (let other = slots[slot]; other !== FREE; other = slots[slot]) {
      if (words[2 * other + 1] === high && words[2 * other] === low) return false;
      slot = (slot + 1) & mask;
    }
    slots[slot] = index;
  }
  return true;
}
